import { readFileSync } from 'node:fs'

/** The nouns of each floor, lowest first, from the table in docs/architecture.md. The table is the rule. */
const floors = readFileSync(new URL('docs/architecture.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (\d+) +\| (.+?) +\|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, floor, nouns]) => ({
    floor: Number(floor),
    nouns: nouns.replaceAll(/ \([^)]*\)/g, '').split(', '),
  }))
  .sort((one, other) => one.floor - other.floor)
  .map(({ nouns }) => nouns)
if (floors.length === 0) throw new Error('docs/architecture.md has no table of floors')

/** Matches the folders of shared except these nouns and shared/http, which has its own rules. */
const allBut = (nouns) => `^shared/(?!(?:http|${nouns.join('|')})/)`

/** A noun that the table does not name is on the top floor. */
const noun = {
  top: `${allBut(floors.flat())}([^/]+)/`,
  on: (nouns) => `^shared/(${nouns.join('|')})/`,
}

/** The ground floor has its own rules. */
const floorRules = [...floors.slice(1).map((nouns) => noun.on(nouns)), noun.top].map((path, i) => ({
  name: `floor-${i + 1}`,
  comment: 'A noun imports only from lower floors: docs/architecture.md, Floors.',
  severity: 'error',
  from: { path, pathNot: '\\.test\\.ts$|/testing/' },
  to: { path: allBut(floors.slice(0, i + 1).flat()), pathNot: '^shared/$1/' },
}))

export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'No circular imports, type imports included.',
      severity: 'error',
      from: {},
      to: {
        circular: true,
      },
    },
    {
      name: 'console-is-a-client',
      comment: 'The console runs in browsers and uses the platform only through the public client.',
      severity: 'error',
      from: {
        path: '^console/',
      },
      to: {
        path: '^(shared/|functions/|stacks/|agent/|bench/|tests/|ops/|clients/(?!typescript/)|node_modules/(?!preact/|@preact/|croner/|marked/|viem/))',
      },
    },
    {
      name: 'no-room-needs-the-console',
      severity: 'error',
      from: {
        pathNot: '^(console|tests)/',
      },
      to: {
        path: '^console/',
      },
    },
    {
      name: 'platform-stands-on-nothing',
      comment:
        'The domain depends on shared/platform, so shared/platform must not import from the domain.',
      severity: 'error',
      from: {
        path: '^shared/platform/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(shared/(?!platform/|manifest/)|functions/|stacks/|agent/|bench/|tests/)',
      },
    },
    {
      name: 'money-stands-on-nothing',
      comment:
        'Plans, caps, splits and payments depend on shared/money, so it must not import from them.',
      severity: 'error',
      from: {
        path: '^shared/money/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        pathNot: '^shared/money/',
      },
    },
    {
      name: 'http-knows-no-domain',
      severity: 'error',
      from: {
        path: '^shared/http/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(shared/(?!http/|identity/|platform/|manifest/)|functions/|stacks/|agent/|bench/|tests/)',
      },
    },
    {
      name: 'domain-knows-no-http',
      comment: 'The domain must not import HTTP: routes, jobs and schedules all call its verbs.',
      severity: 'error',
      from: {
        path: '^shared/(?!http/|platform/|manifest/)',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(shared/http/|functions/|stacks/|agent/|bench/|tests/|node_modules/hono/)',
      },
    },
    ...floorRules,
    {
      name: 'functions-on-top',
      severity: 'error',
      from: {
        path: '^functions/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(stacks/|agent/|bench/|tests/)',
      },
    },
    {
      name: 'functions-read-what-is-granted',
      comment:
        'ConfigOf of granted.ts has what the manifest grants a function; Config has every setting.',
      severity: 'error',
      from: {
        path: '^functions/(web|backend|summarizer|jobs|scheduled|invoked)/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^shared/platform/config/load\\.ts$',
      },
    },
    {
      name: 'manifest-is-data',
      comment: 'AWS and the local stack both read the manifest, so it must depend on neither.',
      severity: 'error',
      from: {
        path: '^shared/manifest/',
      },
      to: {
        pathNot: '^shared/manifest/',
      },
    },
    {
      name: 'stacks-know-only-the-manifest',
      severity: 'error',
      comment:
        'Stacks import the manifest; the local stack also imports the schema of the settings.',
      from: {
        path: '^stacks/(?!build/)',
        pathNot: '\\.test\\.ts$|/testing/',
      },
      to: {
        path: '^(shared/(?!manifest/|platform/config/)|functions/|agent/|bench/|tests/)',
      },
    },
    {
      name: 'machine-stays-on-its-machine',
      severity: 'error',
      comment: 'The local stand-ins for models and payments must never be deployed.',
      from: {
        path: '^(stacks/(?!local/)|sst\\.config\\.ts)',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^stacks/local/',
      },
    },
    {
      name: 'build-reads-routes-only',
      severity: 'error',
      from: {
        path: '^stacks/build/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(shared/(?!manifest/|http/openapi/)|agent/|bench/|tests/)',
      },
    },
    {
      name: 'agent-stands-alone',
      comment: 'The agent runs in another container, without code of the platform.',
      severity: 'error',
      from: {
        path: '^agent/',
      },
      to: {
        path: '^(shared/|functions/|stacks/|bench/|tests/|node_modules/(?!@hono/node-server/|eventsource-parser/|hono/|ws/|@types/ws/|zod/|vitest/|fast-check/))',
      },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is a separate package for browsers, Node and workerd.',
      severity: 'error',
      from: {
        path: '^clients/typescript/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(?!clients/typescript/)',
      },
    },
    {
      name: 'commands-know-the-client',
      comment: 'The command line uses only the public client, so every program can do the same.',
      severity: 'error',
      from: {
        path: '^clients/cli/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(?!clients/|node_modules/@stricli/core/|node_modules/@types/node/)',
        pathNot: '^(shared/mcp/|node_modules/@modelcontextprotocol/server/)',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'one-command-serves-tools',
      comment:
        'The MCP server and its tools are four times the size of the command line, so only `agents mcp` loads them.',
      severity: 'error',
      from: {
        path: '^clients/cli/(?!mcp/)',
      },
      to: {
        path: '^(shared/|node_modules/@modelcontextprotocol/)',
      },
    },
    {
      name: 'tools-ask-the-api',
      comment:
        'Tools call only the public API, because the command line serves the same tools over stdio.',
      severity: 'error',
      from: {
        path: '^shared/mcp/',
      },
      to: {
        path: '^(?!shared/mcp/|node_modules/(@modelcontextprotocol/server|zod)/)',
      },
    },
    {
      name: 'aws-behind-ports',
      severity: 'error',
      from: {
        path: '^(shared/(?!platform/)|functions/)',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^node_modules/@aws-sdk/',
      },
    },
    {
      name: 'kit-runs-anywhere',
      comment: 'Route groups that do not need Node run on workerd with the same code.',
      severity: 'error',
      from: {
        path: '^shared/http/(?!lambda/|server/)',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        dependencyTypes: ['core'],
      },
    },
  ],
  options: {
    doNotFollow: {
      path: 'node_modules',
    },
    exclude: {
      path: '^(dist|\\.sst)/',
    },
    tsPreCompilationDeps: true,
    tsConfig: {
      fileName: 'tsconfig.app.json',
    },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
