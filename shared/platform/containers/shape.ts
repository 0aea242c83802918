import * as z from 'zod'

/** A time: a date from the SDK, or ISO 8601 in an event. */
const time = z.union([z.date(), z.iso.datetime({ offset: true })]).transform((at) => new Date(at))

const variable = z.object({ name: z.string().optional(), value: z.string().optional() })

const container = z.object({
  exitCode: z.number().optional(),
  reason: z.string().optional(),
  networkBindings: z
    .array(z.object({ bindIP: z.string().optional(), hostPort: z.number().optional() }))
    .optional(),
})

const attachment = z.object({ type: z.string().optional(), details: z.array(variable).optional() })

/** The fields of an ECS task that the platform reads, in ECS's format. */
export const ecsTaskShape = z.object({
  taskArn: z.string(),
  startedBy: z.string().optional(),
  lastStatus: z.string(),
  version: z.number().int().default(0),
  healthStatus: z.string().optional(),
  createdAt: time.optional(),
  startedAt: time.optional(),
  stoppedAt: time.optional(),
  stopCode: z.string().optional(),
  stoppedReason: z.string().optional(),
  overrides: z
    .object({
      containerOverrides: z
        .array(z.object({ environment: z.array(variable).optional() }))
        .optional(),
    })
    .optional(),
  containers: z.array(container).default([]),
  attachments: z.array(attachment).default([]),
})

export type EcsTask = z.output<typeof ecsTaskShape>
