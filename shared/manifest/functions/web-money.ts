import type { FunctionSpec } from '../types.ts'

/** What of the web surface takes payments and shows what was used, paid and changed. */
export const webMoney = [
  {
    name: 'web-x402',
    entry: 'functions/web/x402.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/x402', '/api/v1/gateway'],
      // What is paid for takes longer than an HTTP API waits.
      streaming: true,
    },
    memoryMb: 512,
    timeoutSeconds: 60,
    // It speaks with facilitators on the internet, so that it cannot speak with agents: a job does.
    grants: [{ table: 'write' }, { send: 'paid-turns' }],
    settings: [
      'ADMIN_EMAILS',
      'AI_BASE_URL',
      'AI_MODEL_TIMEOUT_MS',
      'EVM_CHAIN_ID',
      'USDC_ADDRESS',
      'WEB_URL',
      'X402_FACILITATOR_URL',
      'X402_GATEWAY_URL',
      'X402_PAY_TO',
      'X402_PRICE_USD',
      'X402_SPEND_CAP_USD',
    ],
    secrets: ['AI_API_KEY', 'AI_PROVIDERS', 'EVM_RPC_URL', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'web-audit',
    entry: 'functions/web/audit.ts',
    // An account's whole history is longer than an HTTP API's answer may be.
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/audit'], streaming: true },
    memoryMb: 256,
    timeoutSeconds: 300,
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'web-usage',
    entry: 'functions/web/usage.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/dashboard', '/api/metrics', '/api/test-usage'],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'web-billing',
    entry: 'functions/web/billing.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/api/billing',
        '/api/credits',
        '/api/payments',
        '/api/stripe',
        '/api/webhooks/payments',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { send: 'entitlements' }],
    settings: ['ADMIN_EMAILS', 'PAYMENTS_API_URL', 'WEB_URL'],
    secrets: [
      'AI_PROVIDERS',
      'ORIGIN_SECRET',
      'PAYMENTS_SECRET_KEY',
      'PAYMENTS_WEBHOOK_SECRET',
      'WALLET_ENCRYPTION_KEY',
    ],
    budget: 'standard',
  },
] as const satisfies readonly FunctionSpec[]
