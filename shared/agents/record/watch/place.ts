import { hashes, hashOf } from '#shared/platform/table/shard.ts'
import { isChannelDue } from './channel-due.ts'
import type { DueAgent } from './due-agent.ts'
import { missedEvent } from './missed-event.ts'
import { isInProvisioning, missingAt } from './missing.ts'

/** An overdue step within this time is probably about to be taken by a message in flight. */
const graceMs = 10_000

/** The number of turns in a round of regular checks. */
export const turns = hashes

const dueBegin = 'due#'
const lookBegin = 'look#'
/** A decimal part of the time, because the previous release parses everything after the `#` as a number. */
const provisioningEnd = '.1'

/**
 * Returns the place of an agent in the watchdog's index: `due#<epoch milliseconds>` when a step is due, with `.1`
 * appended if the only reason is a missing message of the provisioning queue; or `look#<turn>` for a healthy agent with
 * only regular checks. Undefined for an agent with nothing due. Depends only on the row, so that a check without a
 * change writes nothing.
 */
export function placeOf(agent: DueAgent): string | undefined {
  const at = dueFrom(agent)
  if (at !== undefined)
    return `${dueBegin}${digits(at, 13)}${waitsForProvisioning(agent, at) ? provisioningEnd : ''}`
  return hasOnlyRegularChecks(agent) ? `${lookBegin}${digits(hashOf(agent.id), 5)}` : undefined
}

/** Returns whether an agent only has regular checks, once per interval. */
export function hasOnlyRegularChecks({ desired, deleting, watchdog }: DueAgent): boolean {
  return watchdog.state === 'running' && desired === 'running' && !deleting
}

/**
 * Returns when something is due for an agent besides regular checks, in epoch milliseconds: an overdue step, a missed
 * event, a lost message, or its channel. Undefined if nothing is due.
 */
export function dueFrom(agent: DueAgent): number | undefined {
  if (agent.watchdog.unsent.length > 0 || missedEvent(agent) !== undefined) return 0
  if (isChannelDue(agent)) return 0
  const times = [missingAt(agent), stepFrom(agent)].filter((at) => at !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

function waitsForProvisioning(agent: DueAgent, at: number): boolean {
  return at > 0 && stepFrom(agent) === undefined && isInProvisioning(agent)
}

/** Returns when an agent's step is overdue. Undefined for a healthy agent, whose next check is in its turn. */
export function stepFrom(agent: DueAgent): number | undefined {
  const { dueAt } = agent.watchdog
  return dueAt === null || hasOnlyRegularChecks(agent) ? undefined : dueAt + graceMs
}

/**
 * Returns the range of places that are due, inclusive.
 * @param now epoch milliseconds
 */
export function duePlaces(now: number): readonly [string, string] {
  return [dueBegin, `${dueBegin}${digits(now, 13)}${provisioningEnd}`]
}

/** Returns the range of places of these turns, inclusive. */
export function lookPlaces(first: number, last: number): readonly [string, string] {
  return [`${lookBegin}${digits(first, 5)}`, `${lookBegin}${digits(last, 5)}`]
}

/** Returns the due time of a place. */
export function timeAt(place: string): number {
  return Math.floor(Number(place.slice(dueBegin.length)))
}

/** Returns whether only a message of the provisioning queue is missing at such a place; it may still wait there. */
export function isOfProvisioning(place: string): boolean {
  return place.endsWith(provisioningEnd)
}

/** Returns the turn of a place. */
export function turnAt(place: string): number {
  return Number(place.slice(lookBegin.length))
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
