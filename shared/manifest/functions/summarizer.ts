import type { SpecOf } from '../types.ts'

export const summarizer = [
  {
    name: 'summarizer-info',
    entry: 'functions/summarizer/info.ts',
    trigger: { kind: 'http', surface: 'summarizer', prefixes: ['/', '/health'] },
    memoryMb: 256,
    timeoutSeconds: 10,
    grants: [],
    settings: ['SUMMARIZER_PRICE_USD', 'SUMMARIZER_URL', 'X402_PAY_TO'],
    secrets: [],
    budget: 'light',
    edge: true,
  },
  {
    name: 'summarizer-pages',
    entry: 'functions/summarizer/pages.ts',
    parts: ['#page-counts', '#page-sales'],
    trigger: { kind: 'http', surface: 'summarizer', prefixes: ['/api/summarize', '/api/extract'] },
    memoryMb: 512,
    timeoutSeconds: 29,
    // If pages have a price, each payment is recorded.
    grants: [{ count: 'requests' }, { claims: 'write' }],
    settings: [
      'DNS_RESOLVER_URL',
      'EVM_CHAIN_ID',
      'FETCH_ALLOW_HOSTS',
      'SUMMARIZER_PRICE_USD',
      'SUMMARIZER_URL',
      'USDC_ADDRESS',
      'X402_FACILITATOR_URL',
      'X402_PAY_TO',
    ],
    secrets: ['EVM_RPC_URL', 'ORIGIN_SECRET'],
    budget: 'light',
    edge: true,
  },
  {
    name: 'summarizer-articles',
    entry: 'functions/summarizer/articles.ts',
    parts: ['#page-article', '#page-counts', '#page-sales'],
    trigger: { kind: 'http', surface: 'summarizer', prefixes: ['/api/read'] },
    // A whole processor: it has the document of a page in memory and looks through it several times.
    memoryMb: 1769,
    timeoutSeconds: 29,
    // If pages have a price, each payment is recorded.
    grants: [{ count: 'requests' }, { claims: 'write' }],
    settings: [
      'DNS_RESOLVER_URL',
      'EVM_CHAIN_ID',
      'FETCH_ALLOW_HOSTS',
      'SUMMARIZER_PRICE_USD',
      'SUMMARIZER_URL',
      'USDC_ADDRESS',
      'X402_FACILITATOR_URL',
      'X402_PAY_TO',
    ],
    // Agents are served by their own limits and without a price: their tools show this key.
    secrets: ['EVM_RPC_URL', 'INTERNAL_API_KEY', 'ORIGIN_SECRET'],
    budget: 'light',
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
    budget: 'light',
  },
] as const satisfies readonly SpecOf<string>[]
