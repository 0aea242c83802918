import { openIncident } from '#shared/agents/watchdog/incidents.ts'
import type { Agent } from '../record.ts'
import type { EventKind } from './schema.ts'

export interface EventDraft {
  kind: EventKind
  text: string
}

/**
 * Returns the events of a change, in order. Most changes are internal and have none.
 * @param kind the reason of a new start, if a person requested it
 */
export function eventsOfChange(before: Agent, next: Agent, kind?: EventKind): EventDraft[] {
  const found = [crash(before, next), repair(before, next), ending(before, next)]
  const change = next.generation === before.generation ? settings(before, next) : undefined
  return [...found, start(before, next, kind), change].filter((one) => one !== undefined)
}

function crash({ watchdog: before }: Agent, { watchdog: next }: Agent): EventDraft | undefined {
  const last = next.crashes.at(-1)
  if (last === undefined || last === before.crashes.at(-1)) return undefined
  return { kind: 'crashed', text: openIncident(next)?.cause ?? 'Ended unexpectedly' }
}

/** Returns the event of an incident that a repair resolved. */
function repair({ watchdog: before }: Agent, { watchdog: next }: Agent): EventDraft | undefined {
  const open = openIncident(before)
  const over = next.incidents.find(({ at, resolvedAt }) => at === open?.at && resolvedAt !== null)
  if (open === undefined || over === undefined || over.step === 'detected') return undefined
  if (next.state !== 'running') return undefined
  return { kind: 'repaired', text: `Recovered from: ${over.cause}` }
}

function ending(before: Agent, next: Agent): EventDraft | undefined {
  const text = next.stopReason?.text
  const isGivenUp = next.watchdog.state === 'crash_loop' && before.watchdog.state !== 'crash_loop'
  if (isGivenUp || (next.status === 'error' && before.status !== 'error'))
    return { kind: 'given_up', text: openIncident(next.watchdog)?.cause ?? text ?? 'Failed' }
  if (before.desired === 'running' && next.desired === 'stopped')
    return { kind: 'stopped', text: text ?? 'Stopped' }
  return undefined
}

const startTexts: Partial<Record<EventKind, string>> = {
  started: 'Started',
  restarted: 'Restarted',
  repaired: 'Repair requested: restarted',
  restored: 'Restored from a restore point',
}

function start(before: Agent, next: Agent, requested?: EventKind): EventDraft | undefined {
  if (next.generation === before.generation) return undefined
  const kind = requested ?? (before.desired === 'running' ? 'restarted' : 'started')
  return settings(before, next, kind) ?? { kind, text: startTexts[kind] ?? 'Restarted' }
}

/**
 * @param kind the reason of the start that this change causes, if any; without a reason, the event describes the change
 */
function settings(before: Agent, next: Agent, kind?: EventKind): EventDraft | undefined {
  const isDescribed = kind === undefined || kind === 'updated' || kind === 'configured'
  if (!isDescribed) return undefined
  if (before.pinnedImage !== next.pinnedImage || kind === 'updated')
    return { kind: 'updated', text: `Image changed to ${next.pinnedImage ?? 'the platform’s own'}` }
  const names = changedNames(before, next)
  if (names.length === 0) return undefined
  return {
    kind: 'configured',
    text: `Settings changed: ${names.join(', ')}`.slice(0, 500),
  }
}

function changedNames(before: Agent, next: Agent): string[] {
  const values = (agent: Agent): Record<string, unknown> => ({
    ...agent.config,
    ...agent.secrets,
    name: agent.name,
    plan: agent.plan,
    aiProvider: agent.aiProvider,
  })
  const [was, is] = [values(before), values(next)]
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...names].filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])).sort()
}
