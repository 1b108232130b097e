# The relay without a database of its own: DATABASE_URL names the PostgreSQL (see docker-compose.yml).

# What it builds runs on every platform, so it is built on that of the machine.
FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY generated ./generated
COPY spec ./spec
COPY src ./src
COPY docs ./docs
COPY scripts/run.ts scripts/tool.ts ./scripts/
COPY scripts/build ./scripts/build
COPY scripts/mls-relay ./scripts/mls-relay
COPY scripts/healthcheck.js ./scripts/healthcheck.js
# The packages of clients stay out. The optional peers are for blobs in S3. The link to the workspace of the client would lead nowhere in
# the final image.
RUN npm run --silent build -- server console app pages && \
  node -e 'const { devDependencies, ...own } = require("./package.json"); Object.assign(own.dependencies, own.peerDependencies); \
    fs.writeFileSync("package.json", JSON.stringify(own, null, 2));' && \
  npm prune --omit=dev --omit=optional --ignore-scripts && \
  rm -rf node_modules/@mls-relay dist/.tsbuildinfo

# Neither compilers nor the tools that built it. XDG_CONFIG_HOME: administrators' keys of `docker compose exec` lie in the
# volume, because the rest of the file system may be read-only.
FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/mls-relay XDG_CONFIG_HOME=/var/lib/mls-relay/config
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/mls-relay
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/generated ./generated
COPY --from=build /app/spec ./spec
COPY --from=build /app/docs ./docs
COPY --from=build /app/dist ./dist
COPY --from=build /app/scripts ./scripts
RUN ln -s /app/scripts/mls-relay /usr/local/bin/mls-relay
USER node
VOLUME /var/lib/mls-relay
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "scripts/healthcheck.js"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["serve"]
