import {
  changeHeartbeat as change,
  readHeartbeat,
  resetHeartbeat as reset,
} from '../../../shared/heartbeat/heartbeat.ts'
import {
  heartbeatChange,
  heartbeatChanged,
  heartbeatReset,
  heartbeatShown,
} from '../../../shared/heartbeat/schema.ts'
import { route } from './services.ts'

const common = { path: '/api/heartbeat', tag: 'heartbeat', guard: 'session' } as const

export const getHeartbeat = route({
  ...common,
  method: 'GET',
  summary: 'How often the caller wants their installation to be heard of, and when it was',
  response: heartbeatShown,
  errors: ['unauthorized'],
  handle: async ({ table, actor }) => ({
    heartbeat: await readHeartbeat(table, actor.user.id),
    message: 'The heartbeat settings',
  }),
})

export const changeHeartbeat = route({
  ...common,
  method: 'POST',
  summary: 'Change how often the caller wants their installation to be heard of',
  body: heartbeatChange,
  response: heartbeatChanged,
  errors: ['bad-request', 'unauthorized'],
  handle: async ({ table, actor }, { body }) => ({
    ...(await change(table, actor.user.id, body)),
    message: 'The heartbeat settings were changed',
  }),
})

export const resetHeartbeat = route({
  ...common,
  method: 'DELETE',
  summary: 'Set the heartbeat back to every three hours',
  response: heartbeatReset,
  errors: ['unauthorized'],
  handle: async ({ table, actor }) => {
    await reset(table, actor.user.id)
    return { success: true as const, message: 'The heartbeat settings are the defaults again' }
  },
})
