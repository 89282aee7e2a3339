import { DandoriError } from '../domain/error.ts';
import { type ApprovalPolicy, approvalPolicy } from '../domain/mode.ts';
import type { Settings } from '../domain/settings.ts';
import type { Config } from './config.ts';
import { configShape, FOREIGN_KEYS } from './file-shape.ts';
import { applyLayers } from './layer.ts';
import { isRecord } from './record.ts';
import { executionProblems, resolveSettings } from './settings.ts';
import { shapeProblems, withoutEmptyKeys } from './shape.ts';
import { vocabularyOf } from './vocabulary.ts';

/** What the configuration of a user is laid over. */
export interface UserConfigBase {
  /** The file's own sections that a user's may change, as they are written. */
  readonly written: unknown;
  readonly settings: Settings;
  readonly mcpServers: Config['mcpServers'];
}

export interface Laid {
  /** The file's where `problems` says that the user's cannot be used. */
  readonly settings: Settings;
  /** Keys that are not taken from anywhere but the file. */
  readonly refused: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Lays the configuration of a user, as an API gave it, over the file's. Whoever answers there may make a run slower or
 * cheaper and speak to the mind; what is called, with which keys, where it is kept, and what a person must approve
 * stays with the file.
 */
export function layUserConfig(value: unknown, base: UserConfigBase): Laid {
  const { settings: file } = base;
  if (!isRecord(value)) return { settings: file, refused: [], problems: ['it must be a JSON object'] };
  const { kept, refused } = onlySafe(withoutEmptyKeys(value) as Record<string, unknown>, file);
  const merged = applyLayers(base.written, [{ origin: 'the user', values: kept }]);
  const parsed = configShape.safeParse(merged);
  const found = [
    ...(parsed.success ? [] : shapeProblems(parsed.error, { ...WORDS, written: merged })),
    ...executionProblems(merged),
  ];
  const problems = found.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
  if (!parsed.success || problems.length > 0) return { settings: file, refused, problems };
  const { instructions, language } = kept;
  return {
    settings: {
      ...resolveSettings(parsed.data, base.mcpServers),
      // What a user's configuration cannot say stays as it is: who may answer, above all.
      ...(file.approvals && { approvals: file.approvals }),
      ...(file.questions && { questions: file.questions }),
      ...(file.context && { context: file.context }),
      ...(typeof instructions === 'string' && { instructions }),
      ...(language !== undefined && { language: parsed.data.language }),
    },
    refused,
    problems,
  };
}

const SECTIONS = ['execution', 'planning', 'instructions', 'language'];

const WORDS = { vocabulary: vocabularyOf(configShape), foreign: FOREIGN_KEYS };

/** The part of a configuration that a user's may change. */
export function safeSections(written: unknown): Record<string, unknown> {
  if (!isRecord(written)) return {};
  return Object.fromEntries(Object.entries(written).filter(([key]) => SECTIONS.includes(key)));
}

function onlySafe(
  value: Record<string, unknown>,
  { approval }: Settings,
): { kept: Record<string, unknown>; refused: string[] } {
  const kept = safeSections(value);
  const refused = Object.keys(value).filter((key) => !SECTIONS.includes(key));
  const refuse = (section: string, key: string) => {
    const group = kept[section];
    if (!isRecord(group) || !Object.hasOwn(group, key)) return;
    const { [key]: _refused, ...rest } = group;
    kept[section] = rest;
    refused.push(`${section}.${key}`);
  };
  // A file's name would be read here and told to the model.
  if (isRecord(kept.instructions)) {
    delete kept.instructions;
    refused.push('instructions.file');
  }
  refuse('planning', 'history');
  refuse('execution', 'order');
  if (isLooser(isRecord(kept.execution) ? kept.execution.approval : undefined, approval))
    refuse('execution', 'approval');
  return { kept, refused };
}

/** What a person must be asked about is for who runs Dandori to say. */
export function refuseLooser(
  wanted: ApprovalPolicy | undefined,
  { approval, approvals = {} }: Pick<Settings, 'approval' | 'approvals'>,
): void {
  if (wanted === undefined) return;
  if (!isLooser(wanted, approval) && Object.keys(approvals).length === 0) return;
  throw new DandoriError('forbidden', `Only an admin may set approval to ${wanted} here.`, {
    fix: `Leave it out; ${approval} is configured.`,
  });
}

/** More may be asked about than the file says, never less. */
function isLooser(wanted: unknown, file: Settings['approval']): boolean {
  const { success, data } = approvalPolicy.safeParse(wanted);
  return success && data !== file && !STRICTER[file].includes(data);
}

/**
 * Which policies leave nothing unasked that this one asks about. Who says yes to a plan has not seen what its Refs
 * become, and who says yes to each call has not seen the plan, so that neither can stand for the other.
 */
const STRICTER: Readonly<Record<Settings['approval'], readonly Settings['approval'][]>> = {
  never: ['destructive', 'writes', 'plan', 'always'],
  destructive: ['writes', 'always'],
  writes: ['always'],
  plan: ['always'],
  always: [],
};
