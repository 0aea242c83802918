import type { SpecOf } from '../types.ts'

/** Functions that pay and split money among agents. */
export const splits = [
  {
    name: 'web-splits',
    entry: 'functions/web/splits.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/api/agents/{id}/mandate',
        '/api/agents/{id}/payments',
        // Its test replays payments.
        '/api/agents/{id}/policy',
        '/api/skills/booking-settlement',
        '/api/skills/instant-split',
        '/api/wallet/withdraw',
        '/api/wallet/withdrawals',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { rows: 'payments' }, { send: 'splits' }, { invoke: 'signer' }],
    settings: ['ADMIN_EMAILS', 'EVM_CHAIN_ID', 'USDC_ADDRESS', 'WEB_URL'],
    secrets: ['EVM_RPC_URL', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'backend-splits',
    entry: 'functions/backend/splits.ts',
    trigger: { kind: 'http', surface: 'backend', prefixes: ['/api/underground/splits'] },
    memoryMb: 256,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { rows: 'payments' }, { send: 'splits' }],
    settings: ['EVM_CHAIN_ID', 'USDC_ADDRESS'],
    secrets: ['EVM_RPC_URL', 'INTERNAL_API_KEY', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
