export {
  type Approval,
  answerQuestion,
  approve,
  checkAnswer,
  passAnswer,
  type Rejection,
  reject,
  requireAnswerer,
  withSecretsRestored,
} from './answer.ts';
export { canBeNumbered } from './answer-options.ts';
export {
  isApproval,
  optionsNamed,
  readAnswer,
  takesWords,
} from './answer-words.ts';
export {
  type GivenAttachment,
  LARGEST_ATTACHMENTS,
  MOST_ATTACHMENTS,
  readAttachments,
  storeAttachments,
} from './attachments.ts';
export { type Pruned, type PruneOptions, pruneRuns } from './prune.ts';
export { asJournaled, readable, tasksAsJournaled } from './send.ts';
export { checkGoal, checkUser, newId, startOnce, startRun } from './start.ts';
export { addBudget, addNote, cancelRun, continueRun, pauseRun, type Rating, rateRun } from './steer.ts';
export { asksToStop } from './stop-request.ts';
