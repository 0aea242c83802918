import * as z from 'zod'

export const MachineHealth = z
  .object({
    status: z.literal('ok'),
    health: z.enum(['healthy', 'degraded', 'unhealthy']),
    timestamp: z.string(),
    cpu: z.object({ usage: z.number(), cores: z.number() }),
    memory: z.object({
      usage: z.number(),
      total: z.number(),
      used: z.number(),
      free: z.number(),
    }),
    uptime: z.number(),
  })
  .meta({ id: 'MachineHealth' })

export const BackendHealth = z
  .object({
    status: z.literal('ok'),
    timestamp: z.string(),
    docker: z.enum(['available', 'unavailable']),
    provisioning: z.enum(['enabled', 'disabled']),
  })
  .meta({ id: 'BackendHealth' })

export const Readiness = z
  .object({
    status: z.enum(['ready', 'not ready']),
    checks: z.record(z.string(), z.boolean()),
  })
  .meta({ id: 'Readiness' })
