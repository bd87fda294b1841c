# syntax=docker/dockerfile:1
# The gateway, with the command line slm and the simulator. How to use it: docs/operating.md.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# No package needs its script here: they bring a Node, which is there, and prepare a clone for tests.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# What runs: the build, and the one package with native code. The ready-made parts of other systems stay here.
RUN mkdir -p /opt/slm-gateway/node_modules/better-sqlite3/prebuilds && \
    cp -r dist package.json LICENSE /opt/slm-gateway/ && \
    rm -rf /opt/slm-gateway/dist/cache && \
    cp -r node_modules/better-sqlite3/lib node_modules/better-sqlite3/package.json node_modules/better-sqlite3/LICENSE /opt/slm-gateway/node_modules/better-sqlite3/ && \
    cp node_modules/better-sqlite3/prebuilds/linux-*.node /opt/slm-gateway/node_modules/better-sqlite3/prebuilds/

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=64 \
    SLM_HOST=0.0.0.0 \
    SLM_LOG_STREAM=stdout \
    SLM_DATA_DIR=/var/lib/slm/data \
    SLM_KEY_FILE=/var/lib/slm/key/secret.key
COPY --from=build /opt/slm-gateway /opt/slm-gateway
RUN ln -s /opt/slm-gateway/dist/cli/start.cjs /usr/local/bin/slm && \
    ln -s /opt/slm-gateway/dist/lib/start.cjs /usr/local/bin/slm-gateway && \
    ln -s /opt/slm-gateway/dist/simulator/start.cjs /usr/local/bin/slm-simulator && \
    mkdir -p /var/lib/slm && chown node:node /var/lib/slm && chmod 700 /var/lib/slm
USER node
WORKDIR /var/lib/slm
# Everything that is kept. The root file system may be read-only.
VOLUME /var/lib/slm
EXPOSE 8100
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SLM_PORT || 8100) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["slm-gateway"]
