import type { FunctionSpec } from '../types.ts'

export const summarizer = [
  {
    name: 'summarizer-info',
    entry: 'functions/summarizer/info.ts',
    trigger: { kind: 'http', surface: 'summarizer', prefixes: ['/', '/health'] },
    memoryMb: 256,
    timeoutSeconds: 10,
    grants: [],
    settings: ['SUMMARIZER_URL'],
    secrets: [],
    budget: 'hot',
    edge: true,
  },
  {
    name: 'summarizer-system',
    entry: 'functions/summarizer/system.ts',
    trigger: {
      kind: 'http',
      surface: 'summarizer',
      prefixes: ['/openapi.json', '/docs', '$default'],
    },
    memoryMb: 256,
    timeoutSeconds: 10,
    grants: [],
    settings: ['SUMMARIZER_URL'],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly FunctionSpec[]
