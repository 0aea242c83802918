import type { SpecOf } from '../types.ts'

/** Functions that pay for agents by x402. */
export const agentPayments = [
  {
    name: 'backend-pay',
    entry: 'functions/backend/pay.ts',
    trigger: {
      kind: 'http',
      surface: 'backend',
      prefixes: ['/pay'],
      streaming: true,
      uploads: true,
    },
    memoryMb: 512,
    timeoutSeconds: 600,
    // A limit, because slow hosts must not occupy the instances of all other functions.
    reserved: 20,
    grants: [
      { table: 'write' },
      { rows: 'payments' },
      { send: 'agent-payments' },
      { send: 'approvals' },
      { send: 'webhook-deliveries' },
      { invoke: 'signer' },
    ],
    settings: [
      'AGENT_PAYMENTS_CAP_USD_PER_DAY',
      'EVM_CHAIN_ID',
      'FETCH_ALLOW_HOSTS',
      'USDC_ADDRESS',
    ],
    secrets: ['EVM_RPC_URL', 'ORIGIN_SECRET'],
    budget: 'standard',
  },
  {
    name: 'agent-payments',
    entry: 'functions/jobs/agent-payments.ts',
    trigger: { kind: 'queue', queue: 'agent-payments', batchSize: 5, maxReceives: 8 },
    memoryMb: 256,
    timeoutSeconds: 30,
    grants: [{ table: 'write' }, { rows: 'payments' }, { send: 'agent-payments' }],
    settings: ['EVM_CHAIN_ID', 'USDC_ADDRESS'],
    secrets: ['EVM_RPC_URL'],
    budget: 'standard',
  },
  {
    name: 'agent-payments-due',
    entry: 'functions/scheduled/agent-payments-due.ts',
    trigger: { kind: 'schedule', everyMinutes: 1 },
    memoryMb: 256,
    timeoutSeconds: 60,
    grants: [{ table: 'write' }, { rows: 'payments' }, { send: 'agent-payments' }],
    settings: [],
    secrets: [],
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
