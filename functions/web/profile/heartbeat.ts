import {
  changeHeartbeat,
  readHeartbeat,
  resetHeartbeat,
} from '#shared/accounts/heartbeat/heartbeat.ts'
import {
  heartbeatChange,
  heartbeatChanged,
  heartbeatReset,
  heartbeatShown,
} from '#shared/accounts/heartbeat/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Table } from '#shared/platform/table/port.ts'

const route = routesWith<{ table: Table }>()

const common = { path: '/api/heartbeat', tag: 'heartbeat', guard: 'session' } as const

/** The heartbeat settings of a user's installation. */
export const heartbeat = [
  route({
    name: 'heartbeat.get',
    ...common,
    method: 'GET',
    summary: 'Get the heartbeat settings',
    response: heartbeatShown,
    errors: ['unauthorized'],
    handle: async (context) => ({
      heartbeat: await readHeartbeat(context),
      message: 'The heartbeat settings',
    }),
  }),

  route({
    name: 'heartbeat.update',
    ...common,
    method: 'POST',
    summary: 'Update the heartbeat settings',
    body: heartbeatChange,
    response: heartbeatChanged,
    errors: ['bad-request', 'unauthorized'],
    notAudited: 'changes the interval of a heartbeat',
    handle: async (context, { body }) => ({
      ...(await changeHeartbeat(context, body)),
      message: 'The heartbeat settings were changed',
    }),
  }),

  route({
    name: 'heartbeat.reset',
    ...common,
    method: 'DELETE',
    summary: 'Reset the heartbeat settings',
    description: 'The default interval is three hours.',
    response: heartbeatReset,
    errors: ['unauthorized'],
    notAudited: 'changes the interval of a heartbeat',
    handle: async (context) => {
      await resetHeartbeat(context)
      return { success: true as const, message: 'The heartbeat settings were reset' }
    },
  }),
]
