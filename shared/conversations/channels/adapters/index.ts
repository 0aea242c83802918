import type { Adapter } from './adapter.ts'
import { email } from './email/adapter.ts'
import type { Kind } from './kinds.ts'
import { slack } from './slack/adapter.ts'
import { telegram } from './telegram/adapter.ts'
import { webhook } from './webhook/adapter.ts'
import { whatsapp } from './whatsapp/adapter.ts'

const adapters: Readonly<Record<Kind, Adapter>> = {
  email,
  slack,
  telegram,
  webhook,
  whatsapp,
}

/** Returns the client of the service of a kind. */
export function adapterOf(kind: Kind): Adapter {
  return adapters[kind]
}
