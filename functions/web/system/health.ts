import { routesWith } from '../../../shared/http/route.ts'
import { machineHealth } from '../../../shared/health/machine.ts'
import { MachineHealth } from '../../../shared/health/schema.ts'

export const health = routesWith<object>()({
  method: 'GET',
  path: '/api/health',
  summary: 'How the machine behind the web surface is doing',
  tag: 'health',
  guard: 'none',
  response: MachineHealth,
  errors: ['internal'],
  handle: ({ log }) => {
    try {
      return machineHealth()
    } catch (error) {
      log.error('could not measure', { error })
      const timestamp = new Date().toISOString()
      return Response.json({ status: 'error', health: 'unhealthy', timestamp }, { status: 500 })
    }
  },
})
