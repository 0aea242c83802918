import * as z from 'zod'
import type { MachineKind } from '#shared/manifest/settings/types.ts'
import { kinds } from '#shared/platform/config/kinds.ts'

/** The parser of each kind of setting on one machine. */
export const machineKinds = {
  ...kinds,
  'access-key-id': () => z.string().regex(/^\w{1,128}$/, 'must be letters and digits'),
  port: () => z.coerce.number().int().min(0).max(65_535),
  runtime: () => z.enum(['embedded', 'openclaw']),
} satisfies Record<MachineKind, () => z.ZodType>
