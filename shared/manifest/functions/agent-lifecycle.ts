import type { SpecOf } from '../types.ts'
import { imageSettings } from './image-settings.ts'

/** The functions that call, start and stop agents' containers for their owners. */
export const agentLifecycle = [
  {
    name: 'web-agent-lifecycle',
    entry: 'functions/web/agent-lifecycle.ts',
    trigger: {
      kind: 'http',
      surface: 'web',
      prefixes: [
        '/api/instance',
        '/api/provision',
        '/api/agents/{id}/stats',
        '/api/agents/{id}/channels/{channelId}/senders',
      ],
    },
    memoryMb: 512,
    timeoutSeconds: 29,
    grants: [
      { table: 'write' },
      { send: 'checks' },
      { send: 'provisioning' },
      { send: 'webhook-deliveries' },
    ],
    settings: ['ADMIN_EMAILS', 'AGENTS_DOMAIN', ...imageSettings, 'KILL_SWITCH', 'WEB_URL'],
    secrets: ['ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'],
    // It requests the metrics and the memory of an agent from its container.
    vpc: true,
    budget: 'standard',
  },
] as const satisfies readonly SpecOf<string>[]
