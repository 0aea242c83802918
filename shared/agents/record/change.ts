import { type ItemChange, changeItem } from '#shared/platform/table/change-item.ts'
import { numbered, type Part, type Parts } from '#shared/platform/table/commit.ts'
import type { Table, Update, Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type WebhookEventContext, webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { type Agent, agentKey, subdomainItem, toAgent, toItem } from './agent.ts'
import { awakeRoom, isAwake } from './awake.ts'
import type { ChangeAuthor } from './context.ts'
import { authorOf } from './events/author.ts'
import { eventsOfChange } from './events/of-change.ts'
import type { EventKind } from './events/schema.ts'
import { webhookEventsOf } from './events/webhook.ts'
import { eventWrites } from './events/write.ts'
import { pastWrite } from './past-tasks.ts'
import { aiKeyRows } from './rows.ts'
import { placeOf } from './watch/place.ts'
import { watchWrite } from './watch/write.ts'

/** A write to another row, or a condition on it, in the transaction of an agent's change. */
export interface AlongWrite {
  write: Write
  refused: () => Error
}

export interface AgentChange {
  /** The row as last read; it can be outdated. */
  agent: Agent
  /** Pure. Called again if another write came first. If it returns `current` itself, nothing is written. */
  decide: (current: Agent) => Agent
  /** Epoch milliseconds. */
  now?: number
  /** The event for a new start. */
  kind?: EventKind | undefined
  /** A write in the same transaction, if the decision starts the agent. */
  onStart?: AlongWrite | undefined
  /** The maximum number of its owner's awake agents, if the decision starts a resting agent. Undefined for no limit. */
  awakeLimit?: number | undefined
  /** True if the start can use only the places for strangers' clones. */
  forStranger?: true | undefined
  /** A write in the transaction of every change. */
  onChange?: AlongWrite | undefined
  /** Makes the audit entry of the change, for the same transaction. */
  entry?: (states: { before: Agent; after: Agent }) => Promise<Part>
}

/**
 * Changes an agent by a pure decision. The row is only written if it has not changed since the decision read it;
 * otherwise the decision is repeated with the current row. The agent's AI key is valid exactly while its hash is in the
 * row, and each of its tasks has its own row: they are written in the same transaction.
 * @returns the current agent; undefined if it is deleted
 * @throws PlatformError 402 AWAKE_LIMIT_REACHED
 */
export async function changeAgent(
  ctx: { table: Table } & ChangeAuthor & WebhookEventContext,
  { agent, decide, now = Date.now(), onStart, onChange, entry, kind, ...places }: AgentChange,
): Promise<Agent | undefined> {
  const { table } = ctx
  const first = toItem(agent)
  let stored: Agent | undefined
  await changeItem<Along>(
    { table, key: agentKey({ userId: agent.userId, agentId: agent.id }) },
    async (item): Promise<ItemChange<Along> | undefined> => {
      if (item === undefined) {
        stored = undefined
        return undefined
      }
      const current = item === first ? agent : toAgent(item)
      const decided = decide(current)
      stored = decided === current ? current : stamp(current, decided, now)
      if (stored === current) return undefined
      const audit = await entry?.({ before: current, after: stored })
      const by = authorOf(ctx, current)
      const happenings = eventsOfChange(current, stored, kind)
      const events = eventWrites(stored, { happenings, by, now })
      const webhooks = webhookEventsOf(current, stored)
      const room = await roomFor(table, { before: current, next: stored, ...places })
      const along = {
        ...alongWrites(current, stored, now, { room, onStart, onChange, audit, events }),
        ...(await webhookParts(ctx, stored.userId, webhooks, now)),
      }
      const alone = Object.values(along).every((write) => write === undefined)
      return { update: toUpdate(current, stored), ...(!alone && { also: along }) }
    },
    {
      first,
      again: ['room'],
      errors: {
        ...(onStart !== undefined && { permit: onStart.refused }),
        ...(onChange !== undefined && { condition: onChange.refused }),
      },
    },
  )
  return stored
}

/** @throws PlatformError 402 AWAKE_LIMIT_REACHED */
async function roomFor(
  table: Table,
  {
    before,
    next,
    awakeLimit: limit,
    forStranger,
  }: { before: Agent; next: Agent } & Pick<AgentChange, 'awakeLimit' | 'forStranger'>,
): Promise<Write | undefined> {
  const { id: agentId, userId } = next
  const wakes = isAwake(next) && !isAwake(before)
  if (!wakes || limit === undefined || userId === null) return undefined
  const { write, full } = await awakeRoom(table, { userId, agentId, limit, forStranger })
  if (full !== undefined) throw full
  return write
}

/** Internal fields, whose changes are not reported. */
const notes = new Set([
  'bootstrap',
  'channelToken',
  'ownTask',
  'watchdog',
  'watched',
  'workspace',
  'lastActiveAt',
  'busyUntil',
])

function stamp(before: Agent, next: Agent, now: number): Agent {
  const changed = Object.keys(differences(before, next)).some((name) => !notes.has(name))
  const updatedAt = changed ? isoOf(now) : before.updatedAt
  const located = next.deleting ? before.located : true
  const stamped = { ...next, located, updatedAt, revision: before.revision + 1 }
  return { ...stamped, watched: placeOf(stamped) }
}

/** The rows that are written with an agent's row. */
interface Along extends Parts {
  [event: `event${number}`]: Write
  room: Write | undefined
  permit: Write | undefined
  condition: Write | undefined
  formerKey: Write | undefined
  newKey: Write | undefined
  subdomain: Write | undefined
  watch: Write | undefined
  task: Write | undefined
  audit: Part | undefined
}

function alongWrites(
  before: Agent,
  next: Agent,
  now: number,
  {
    room,
    onStart,
    onChange,
    audit,
    events,
  }: Pick<AgentChange, 'onStart' | 'onChange'> & {
    room: Write | undefined
    audit: Part | undefined
    events: Write[]
  },
): Along {
  return {
    room,
    permit: next.generation === before.generation ? undefined : onStart?.write,
    condition: onChange?.write,
    ...keyWrites(before, next),
    // Agents of earlier releases get their subdomain row with their next write.
    subdomain: before.located === next.located ? undefined : { put: subdomainItem(next) },
    watch: watchWrite(next, before.watched),
    task: pastWrite(before, next, now),
    audit,
    ...numbered('event', events),
  }
}

function toUpdate(before: Agent, next: Agent): Update & { if: string } {
  const changes = Object.entries(differences(before, next))
  return {
    set: Object.fromEntries(changes.filter(([, value]) => value !== undefined)),
    remove: changes.filter(([, value]) => value === undefined).map(([name]) => name),
    if: '#revision = :revision',
    values: { revision: before.revision },
  }
}

function differences(before: Agent, next: Agent): Partial<Agent> {
  const names = new Set([...Object.keys(before), ...Object.keys(next)]) as Set<keyof Agent>
  return Object.fromEntries(
    [...names].filter((name) => before[name] !== next[name]).map((name) => [name, next[name]]),
  )
}

function keyWrites(before: Agent, next: Agent): Pick<Along, 'formerKey' | 'newKey'> {
  const { id: agentId, userId, generation, aiKeyHash: hash } = next
  const former = before.aiKeyHash
  const changes = former !== hash
  return {
    formerKey:
      changes && former !== undefined ? { delete: aiKeyRows.key({ hash: former }) } : undefined,
    newKey:
      changes && hash !== undefined
        ? { put: aiKeyRows.put({ hash }, { agentId, userId, generation }) }
        : undefined,
  }
}
