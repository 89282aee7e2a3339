# The package as it is published, without root and without the sources. Build it in the repository:
#   docker build -t dandori .
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
# Scripts of dependencies are not needed: what has to be built is built here.
RUN npm ci --ignore-scripts && npm run build && npm pack ./packages/dandori/dist --pack-destination /

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# The packages of dispatchers (docs/OPERATE.md), such as "pg-boss @restatedev/restate-sdk".
ARG DISPATCHERS="pg-boss@12.35.0"
COPY --from=build /dandori-*.tgz /tmp/
RUN npm install --global --ignore-scripts --omit=dev /tmp/dandori-*.tgz $DISPATCHERS && rm /tmp/dandori-*.tgz && npm cache clean --force \
  && mkdir /srv/dandori && chown node:node /srv/dandori
# Dandori stops its calls, writes down what is unfinished and gives back its leases on SIGTERM.
STOPSIGNAL SIGTERM
USER node
WORKDIR /srv/dandori
EXPOSE 4310
ENTRYPOINT ["dandori"]
CMD ["serve", "--host", "0.0.0.0"]
