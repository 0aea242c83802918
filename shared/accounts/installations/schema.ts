import * as z from 'zod'
import { countOf } from '#shared/platform/fields.ts'
import { userIdPattern } from '#shared/platform/table/user-store.ts'
import { installationModes } from './rows.ts'

/** Larger limits are reduced to it: contract.md, General rules. */
const longestPage = 1_000

const userId = z
  .string({ error: 'userId required' })
  .min(1, 'userId required')
  .regex(userIdPattern, 'userId is not a user id')

/** contract.md 10, Health, heartbeat, registration. */
const gatewayToken = z
  .string()
  .min(1, 'gatewayToken must have at least 1 character')
  .max(512, 'gatewayToken must have at most 512 characters')
  .overwrite((text) => text.toWellFormed())
  .optional()
  .describe('Stored encrypted; never returned')

export const homeRegistration = z
  .object({
    userId,
    mode: z
      .enum(installationModes, { error: `mode must be one of ${installationModes.join(', ')}` })
      .default('home'),
    gatewayToken,
  })
  .meta({ id: 'HomeRegistration' })

/** The caller's mode is ignored: spec.md. */
export const linkRegistration = z.object({ userId, gatewayToken }).meta({ id: 'LinkRegistration' })

export const registeredInstallation = z
  .object({ success: z.literal(true), message: z.string(), dashboardUrl: z.string() })
  .meta({ id: 'InstallationRegistered' })

/** Accepts any text: an unknown user gets the same response as a known one. */
export const heartbeatBody = z.object({ userId: z.string().optional() })

export const heartbeatAnswer = z.object({ success: z.literal(true), timestamp: z.string() })

export const installationQuery = z.object({
  limit: countOf('limit', longestPage, longestPage),
  after: z
    .string()
    .regex(userIdPattern, 'after is not a user id')
    .optional()
    .describe('The last userId of the previous page'),
})

export const installationList = z
  .object({
    success: z.literal(true),
    count: z.number().describe('The number of installations in this response'),
    installations: z.array(
      z
        .object({
          userId: z.string(),
          mode: z.enum(installationModes),
          registeredAt: z.string(),
          lastSeen: z.string(),
          status: z
            .enum(['active', 'inactive'])
            .describe('Inactive after 24 hours without a heartbeat'),
        })
        .meta({ id: 'Installation' }),
    ),
  })
  .meta({ id: 'Installations' })
