import type { Action, Outcome, Preset } from './effect.ts'

/** The conditions of a rule besides its target. They are part of the match. */
export interface When {
  /** The largest amount of a payment in USD, as a decimal string. */
  maxUsd?: string | undefined
  /** The number of effects in one UTC day that the rule allows or asks for. */
  perDay?: number | undefined
  /** Times of day as `HH:MM`: from `from` and before `to`, over midnight if `to` is earlier. */
  hours?: { from: string; to: string; timezone?: string | undefined } | undefined
}

export interface Rule {
  action: Action
  /** A pattern, or a list of patterns, for fields of the action's target. `*` is any run of characters. */
  match?: Record<string, string | string[]> | undefined
  when?: When | undefined
  then: Outcome
}

/** The first rule that matches an effect decides; if none does, the preset decides. */
export interface Policy {
  preset: Preset
  rules: Rule[]
}

/** The policy of an agent whose owner has set none. */
export const defaultPolicy: Policy = { preset: 'open', rules: [] }

export function isDefault({ preset, rules }: Policy): boolean {
  return preset === defaultPolicy.preset && rules.length === 0
}

/** An approval that also holds for the same effect until a time. */
export interface Remembered {
  action: Action
  target: Readonly<Record<string, string>>
  /** The largest amount of a payment, as a decimal string of micro-USD. */
  maxMicroUsd?: string | undefined
  /** Epoch milliseconds. */
  until: number
}
