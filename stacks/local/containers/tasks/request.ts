import * as z from 'zod'
import { environment, processString } from '../definitions/container.ts'
import { cluster } from '../wire/cluster.ts'

/** The tags of a task. */
export const tags = z
  .array(z.object({ key: z.string().min(1).max(128), value: z.string().max(256).default('') }))
  .max(50)

const overrides = z.looseObject({
  containerOverrides: z
    .array(
      z.looseObject({
        name: z.string(),
        command: z.array(processString).min(1).optional(),
        environment: environment.optional(),
        cpu: z.int().optional(),
        memory: z.int().optional(),
      }),
    )
    .max(1)
    .default([]),
  cpu: z.string().optional(),
  memory: z.string().optional(),
  // Fargate's bounds: https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_EphemeralStorage.html
  ephemeralStorage: z.object({ sizeInGiB: z.int().min(21).max(200) }).optional(),
})

/** RunTask's request. */
export const runTaskInput = z.looseObject({
  cluster,
  taskDefinition: z.string(),
  count: z.int().min(1).max(10).default(1),
  clientToken: z.string().min(1).max(64).optional(),
  // It becomes the name of the volume's folder, so path separators and dots are not allowed.
  startedBy: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .optional(),
  group: z.string().optional(),
  launchType: z.enum(['FARGATE']).optional(),
  capacityProviderStrategy: z
    .array(z.looseObject({ capacityProvider: z.enum(['FARGATE', 'FARGATE_SPOT']) }))
    .length(1)
    .optional(),
  overrides: overrides.prefault({}),
  tags: tags.default([]),
})

export type RunTaskInput = z.infer<typeof runTaskInput>
