import { districtsAndNouns, tests } from './lint/districts.mjs'
import { layers } from './lint/layers.mjs'

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
      name: 'ports-know-no-caller',
      comment: 'Ports know nobody who asks: identity and health stand on them.',
      severity: 'error',
      from: {
        path: '^shared/platform/(?!identity/|health/|mail/|procedures/)',
        pathNot: tests,
      },
      to: {
        path: '^shared/platform/(identity|health)/',
      },
    },
    {
      name: 'shared-stands-on-nothing-above',
      severity: 'error',
      from: {
        path: '^shared/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^(functions/|stacks/|agent/|bench/|tests/)',
      },
    },
    {
      name: 'money-stands-on-nothing',
      comment:
        'Plans, caps, splits and payments depend on shared/money/amounts, so it must not import from them.',
      severity: 'error',
      from: {
        path: '^shared/money/amounts/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        pathNot: '^shared/money/amounts/',
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
        path: '^shared/(?!http/|platform/|manifest/)',
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
        path: '^(shared/http/|node_modules/hono/)',
      },
    },
    ...districtsAndNouns,
    ...layers,
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
        pathNot: '^(shared/tools/mcp/|node_modules/@modelcontextprotocol/server/)',
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
        path: '^shared/tools/mcp/',
      },
      to: {
        path: '^(?!shared/tools/mcp/|node_modules/(@modelcontextprotocol/server|zod)/)',
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
