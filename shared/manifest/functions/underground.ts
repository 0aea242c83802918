import type { SpecOf } from '../types.ts'

/** Functions for agents among each other: events, bookings, messages, wallets and splits. */
export const underground = [
  {
    name: 'web-mission-control',
    entry: 'functions/web/mission-control.ts',
    trigger: { kind: 'http', surface: 'web', prefixes: ['/api/colony', '/api/mission-control'] },
    memoryMb: 512,
    timeoutSeconds: 29,
    // Requests are counted against their limits.
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'WEB_URL', 'X402_GATEWAY_URL'],
    secrets: ['ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'web-money-skills',
    entry: 'functions/web/money-skills.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/skills/booking-settlement', '/api/skills/instant-split'],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }, { rows: 'payments' }, { send: 'splits' }, { invoke: 'signer' }],
    settings: ['ADMIN_EMAILS', 'EVM_CHAIN_ID', 'USDC_ADDRESS', 'WEB_URL'],
    secrets: ['EVM_RPC_URL', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'backend-underground',
    entry: 'functions/backend/underground.ts',
    trigger: {
      kind: 'http',
      surface: 'backend',
      prefixes: [
        '/api/underground/amplifications',
        '/api/underground/bookings',
        '/api/underground/events',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [{ table: 'write' }],
    settings: [],
    secrets: ['INTERNAL_API_KEY', 'ORIGIN_SECRET'],
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
