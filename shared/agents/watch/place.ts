import { hashes, hashOf } from '../../platform/table/shard.ts'
import type { DueAgent } from './due-agent.ts'
import { missedEvent } from './missed.ts'
import { isInProvisioning, missingAt } from './missing.ts'

/** Messages that may be under way: a shorter overdue step is probably just about to be taken. */
const graceMs = 10_000

/** How many turns a round of regular looks has. */
export const turns = hashes

const dueBegin = 'due#'
const lookBegin = 'look#'
/** Part of the time's number: the release before this one reads all behind the `#` as one. */
const provisioningEnd = '.1'

/**
 * Where an agent stands in the watchdog's index: `due#<epoch milliseconds>` from when on the watchdog has to see to it,
 * with `.1` behind it where that is only because no message of the provisioning queue has come to it yet; or
 * `look#<turn>` where it is well and only its regular looks are due. Undefined for one that rests and is owed nothing.
 * It depends on the row alone, so that a look that finds nothing new writes nothing.
 */
export function placeOf(agent: DueAgent): string | undefined {
  const at = dueFrom(agent)
  if (at !== undefined)
    return `${dueBegin}${digits(at, 13)}${waitsForProvisioning(agent, at) ? provisioningEnd : ''}`
  return isLookedAt(agent) ? `${lookBegin}${digits(hashOf(agent.id), 5)}` : undefined
}

/** Whether an agent is looked at once an interval, in its turn, without a step of its own. */
export function isLookedAt({ desired, deleting, watchdog }: DueAgent): boolean {
  return watchdog.state === 'running' && desired === 'running' && !deleting
}

/**
 * From when on an agent has something due that no regular look takes, in epoch milliseconds: a step that is overdue, what
 * was missed, and what was not sent. Undefined where the row holds no such thing.
 */
export function dueFrom(agent: DueAgent): number | undefined {
  if (agent.watchdog.unsent.length > 0 || missedEvent(agent) !== undefined) return 0
  const times = [missingAt(agent), stepFrom(agent)].filter((at) => at !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

function waitsForProvisioning(agent: DueAgent, at: number): boolean {
  return at > 0 && stepFrom(agent) === undefined && isInProvisioning(agent)
}

/** When an agent's step is overdue. One that is well has none: its next look is its turn's. */
export function stepFrom(agent: DueAgent): number | undefined {
  const { dueAt } = agent.watchdog
  return dueAt === null || isLookedAt(agent) ? undefined : dueAt + graceMs
}

/** The places of all that is due by then, both included. @param now epoch milliseconds */
export function duePlaces(now: number): readonly [string, string] {
  return [dueBegin, `${dueBegin}${digits(now, 13)}${provisioningEnd}`]
}

/** The places of so many turns, both included. */
export function lookPlaces(first: number, last: number): readonly [string, string] {
  return [`${lookBegin}${digits(first, 5)}`, `${lookBegin}${digits(last, 5)}`]
}

/** From when on something is due for an agent at such a place. */
export function timeAt(place: string): number {
  return Math.floor(Number(place.slice(dueBegin.length)))
}

/** Whether all that is due for an agent at such a place is a message that may still wait in the provisioning queue. */
export function isOfProvisioning(place: string): boolean {
  return place.endsWith(provisioningEnd)
}

/** The turn of an agent at such a place. */
export function turnAt(place: string): number {
  return Number(place.slice(lookBegin.length))
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
