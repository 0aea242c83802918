import * as z from 'zod'
import { addressField } from '../evm/address.ts'
import { isObject, withinForm } from './form.ts'

/** The longest message in characters of its JSON: contract.md 9, Bus. */
const longestMessage = 65_536

/** The maximum nesting, which limits the recursion for a hostile message. Real messages are less deep. */
const deepest = 200

const agentId = (name: string) =>
  z
    .string({ error: `${name} required` })
    .min(1, `${name} required`)
    .max(128)

const time = (name: string) =>
  z.iso.datetime({ offset: true, error: `${name} must be an ISO 8601 time with Z or an offset` })

/** Not copied by the parser, because a copy would lose names such as `__proto__`, which are signed too. */
const payload = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'payload must be an object')
  .meta({ type: 'object' })

/**
 * The permanent id of a message. It is sent in the header `webhook-id`, which allows only printable ASCII, without
 * spaces at the beginning and the end.
 */
const messageId = z
  .string({ error: 'messageId required' })
  .regex(
    /^(?=.{1,128}$)[!-~](?:[ -~]*[!-~])?$/,
    'messageId must be 1 to 128 printable ASCII characters',
  )

const metadata = z
  .looseObject({
    replyTo: z.string().max(128).optional().describe('The messageId that this message replies to'),
    expiresAt: time('metadata.expiresAt')
      .optional()
      .describe('The message is rejected after this time'),
  })
  .describe('Delivered with the message but not signed')

const fields = {
  messageId,
  timestamp: time('timestamp').describe('At most five minutes in the past or future'),
  from: z.looseObject({
    agentId: agentId('from.agentId'),
    walletAddress: addressField('from.walletAddress'),
  }),
  to: z.looseObject({ agentId: agentId('to.agentId') }),
  action: z
    .string({ error: 'action required' })
    .regex(
      /^[A-Z][A-Z0-9_]{0,63}$/,
      'action must be 1 to 64 capital letters, digits and underscores, beginning with a letter',
    ),
  payload,
  metadata: metadata.optional(),
}

/** A message to be signed with the agent's own wallet, whose address is added if it is absent. */
const unsigned = z.looseObject({
  ...fields,
  from: fields.from.extend({ walletAddress: addressField('from.walletAddress').optional() }),
})

const signed = z.looseObject({
  ...fields,
  signature: z
    .string({ error: 'signature required' })
    .min(1, 'signature required')
    .max(1024)
    .describe('EIP-191 signature of the message as RFC 8785 JSON, without signature and metadata'),
})

const form = withinForm({ longest: longestMessage, deepest })

/** A message between agents: contract.md 9. Unknown fields are preserved, signed and delivered. */
export const agentMessage = signed.superRefine(form).meta({ id: 'AgentMessage' })

/** An AgentMessage without its signature. */
export const unsignedMessage = unsigned.superRefine(form)

export type AgentMessage = z.output<typeof agentMessage>
