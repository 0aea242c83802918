import * as z from 'zod'
import { isMask } from './secrets.ts'

/**
 * Printable ASCII without blanks, as HTTP headers and environments take it, and without what JSON writes as two
 * characters: three of them share the room of a start with all else, as config/schema.ts says.
 */
const tokenForm = /^[!#-[\]-~]{1,256}$/

/** Standard Webhooks: the prefix, and 24 to 64 bytes in base64. */
const webhookSecretForm = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

const orMask = (form: RegExp, message: string) =>
  z.string().refine((text) => form.test(text) || isMask(text), message)

const tokenMessage = 'must be 1 to 256 printable characters without blanks, quotes and backslashes'

/** What a chat service gives a bot to sign in with. */
export const newChannelToken = z.string().regex(tokenForm, tokenMessage)

/** The same, or what is shown of the one that is kept. */
export const channelToken = orMask(tokenForm, tokenMessage)

/** What deliveries to the agent's webhook are signed with. */
export const webhookSecret = orMask(
  webhookSecretForm,
  'must be whsec_ and 24 to 64 bytes in base64',
)

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Where messages for the agent are delivered. Plain http reaches no further than one machine, and never when deployed. */
export const webhookUrl = z
  .string()
  .max(2048)
  .refine(isDeliverable, 'must be an https address without a user name, or http to this machine')

function isDeliverable(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLocal(url)
}

function isLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopback.has(hostname)
}

/** Whether an address that `webhookUrl` takes is on one machine alone. */
export function isLocalWebhook(text: string): boolean {
  return text.startsWith('http:')
}
