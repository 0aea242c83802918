import * as z from 'zod'
import { cursorText } from '#shared/platform/fields.ts'
import { headerFault } from './header.ts'

/** The longest value of a credential, in characters. */
const longestValue = 4096

/** The form of a credential's name. */
export const credentialName = /^[A-Za-z0-9][\w.-]{0,63}$/

export const newBrokerCredential = z
  .object({
    name: z
      .string({ error: 'name required' })
      .regex(
        credentialName,
        'name must be 1 to 64 of A-Z, a-z, 0-9, "_", "." and "-", and begin with a letter or digit',
      ),
    hosts: z
      .array(z.string(), { error: 'hosts required' })
      .min(1, 'hosts required')
      .max(10, 'hosts must have at most 10 entries')
      .overwrite((hosts) => [...new Set(hosts)])
      .describe(
        '`api.example.com` or `api.example.com:8443`; lower case, no wildcard, no IP address',
      ),
    header: z
      .string({ error: 'header required' })
      .max(256, 'header must have at most 256 characters')
      .superRefine((header, context) => {
        const fault = headerFault(header)
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
      })
      .describe('`authorization: Bearer {value}`'),
    value: z
      .string({ error: 'value required' })
      .min(1, 'value required')
      .max(longestValue, `value must have at most ${longestValue} characters`)
      .regex(
        /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/,
        'value must be printable ASCII in one line, without spaces around it',
      )
      .describe('Stored encrypted; never returned'),
  })
  .meta({ id: 'NewBrokerCredential' })

export const brokerCredential = z
  .object({ name: z.string(), hosts: z.array(z.string()), createdAt: z.string() })
  .meta({ id: 'BrokerCredential' })

export const brokerCredentialList = z.object({ credentials: z.array(brokerCredential) })

export const brokerCredentialDeleted = z
  .object({ success: z.literal(true), name: z.string() })
  .meta({ id: 'BrokerCredentialDeleted' })

export const brokerCredentialParams = z.object({ id: z.string(), name: z.string() })

/** The maximum number of entries in one response. */
const maxPageSize = 200

export const brokerRequestQuery = z.object({
  limit: z.coerce
    .number('limit must be a number')
    .int('limit must be a whole number')
    .min(1, 'limit must be at least 1')
    .default(50)
    .overwrite((limit) => Math.min(limit, maxPageSize))
    .describe(`At most ${maxPageSize}`),
  cursor: cursorText(),
})

export const brokerRequestList = z.object({
  requests: z.array(
    z
      .object({
        at: z.string(),
        name: z.string(),
        method: z.string(),
        host: z.string(),
        status: z.number().nullable().describe('Null if the host did not respond'),
        bytes: z
          .number()
          .nullable()
          .describe('Forwarded bytes of the response body; null until it ends'),
      })
      .meta({ id: 'BrokerRequest' }),
  ),
})

export type NewBrokerCredential = z.output<typeof newBrokerCredential>
export type BrokerCredentialView = z.output<typeof brokerCredential>
