/** An action that an agent is about to take; nothing has been sent yet. Rules match the fields of `target`. */
export type Effect =
  | {
      action: 'broker.request'
      /** `path` is as sent, without its query. */
      target: { name: string; method: string; host: string; path: string }
      /** Methods that headers of the request ask the host to use instead. */
      overrides?: readonly string[] | undefined
    }
  | {
      action: 'tool.call'
      target: { connection: string; tool: string }
      /** The server declares that the tool only reads. */
      readOnly: boolean
    }
  | { action: 'message.send'; target: { to: string; action: string } }
  | {
      action: 'payment.send'
      /** `payee` has its checksum (EIP-55). */
      target: { host: string; payee: string }
      microUsd: bigint
    }
  | {
      action: 'channel.send'
      target: { channel: string; to: string }
      /** True for a reply to a person who wrote to the agent. */
      answer: boolean
    }
  | { action: 'schedule.write'; target: { action: 'create' | 'update' | 'delete' } }
  | { action: 'exec'; target: { command: string } }

export type Action = Effect['action']

/** The fields of each action's target, in display order. */
export const targetFields = {
  'broker.request': ['name', 'method', 'host', 'path'],
  'tool.call': ['connection', 'tool'],
  'message.send': ['to', 'action'],
  'payment.send': ['host', 'payee'],
  'channel.send': ['channel', 'to'],
  'schedule.write': ['action'],
  exec: ['command'],
} as const satisfies { [A in Action]: readonly (keyof Extract<Effect, { action: A }>['target'])[] }

export const actions = Object.keys(targetFields) as Action[]

export const presets = ['open', 'guarded', 'locked'] as const

export type Preset = (typeof presets)[number]

export const outcomes = ['allow', 'ask', 'deny'] as const

export type Outcome = (typeof outcomes)[number]

/** The position of a rule in its list, from 1; the preset; or an approval that was remembered. */
export type DecidingRule = number | Preset | 'remembered'

export interface Decision {
  then: Outcome
  rule: DecidingRule
  /** The position of the rule with `perDay` that counts the effect. */
  counted?: number
}
