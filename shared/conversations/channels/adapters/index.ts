import { notFound } from '#shared/platform/errors.ts'
import type { Adapter } from './adapter.ts'
import { email } from './email/adapter.ts'
import type { Kind } from './kinds.ts'
import { slack } from './slack/adapter.ts'
import { telegram } from './telegram/adapter.ts'
import { webhook } from './webhook/adapter.ts'
import { whatsapp } from './whatsapp/adapter.ts'

const adapters: Readonly<Partial<Record<Kind, Adapter>>> = {
  email,
  slack,
  telegram,
  webhook,
  whatsapp,
}

/** @throws PlatformError 404 */
export function adapterOf(kind: Kind): Adapter {
  const adapter = adapters[kind]
  if (adapter === undefined) throw notFound('Channel')
  return adapter
}
