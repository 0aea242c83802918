import type { SpecOf } from '../types.ts'

/**
 * The functions that store credentials for agents, and that call other hosts with them for the agents, which cannot
 * read them.
 */
export const broker = [
  {
    name: 'web-broker',
    entry: 'functions/web/broker.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: ['/api/agents/{id}/broker-credentials', '/api/agents/{id}/broker-requests'],
    },
    memoryMb: 512,
    timeoutSeconds: 10,
    grants: [{ table: 'write' }],
    settings: ['ADMIN_EMAILS', 'FETCH_ALLOW_HOSTS', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'standard',
  },
  {
    name: 'backend-broker',
    entry: 'functions/backend/broker.ts',
    trigger: {
      kind: 'http',
      surface: 'backend',
      prefixes: ['/broker'],
      streaming: true,
      uploads: true,
    },
    memoryMb: 512,
    timeoutSeconds: 900,
    // A limit, because slow hosts must not occupy the instances of all other functions.
    reserved: 45,
    // For the owner of an agent whose request needs an approval.
    grants: [{ table: 'write' }, { send: 'approvals' }, { send: 'webhook-deliveries' }],
    settings: ['FETCH_ALLOW_HOSTS'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    budget: 'hot',
  },
] as const satisfies readonly SpecOf<string>[]
