import * as z from 'zod'
import { isMask } from './secrets.ts'

/**
 * Printable ASCII without spaces, as headers and environment variables require, and without characters that JSON
 * escapes, because three tokens share the space of a start: config/schema.ts.
 */
const tokenForm = /^[!#-[\]-~]{1,256}$/

/** Standard Webhooks: the prefix, and 24 to 64 bytes in base64. */
const webhookSecretForm = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

const orMask = (form: RegExp, message: string) =>
  z.string().refine((text) => form.test(text) || isMask(text), message)

const tokenMessage = 'must be 1 to 256 printable characters without blanks, quotes and backslashes'

/** A bot token of a chat service. */
export const newChannelToken = z.string().regex(tokenForm, tokenMessage)

/** A bot token, or the mask of the stored one. */
export const channelToken = orMask(tokenForm, tokenMessage)

/** The secret that signs deliveries to the agent's webhook. */
export const webhookSecret = orMask(
  webhookSecretForm,
  'must be whsec_ and 24 to 64 bytes in base64',
)

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The address for messages to the agent. Plain HTTP is only accepted for addresses on the same machine, and never when
 * deployed.
 */
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

/** Returns whether a webhook address is on the local machine. */
export function isLocalWebhook(text: string): boolean {
  return text.startsWith('http:')
}
