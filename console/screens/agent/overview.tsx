import { agentPath } from '../../base/agents.ts'
import { now } from '../../base/clock.ts'
import { title } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { user } from '../../base/session.ts'
import { Copy } from '../../ui/copy.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago } from '../../ui/parts.tsx'
import { OpenButton } from './open-button.tsx'
import type { TabProps } from './tab.ts'
import { Timeline } from './timeline/timeline.tsx'

/** The agent's overview. */
export function Overview({ agent }: TabProps) {
  const { data } = useLoad(
    `stats ${agent.id}`,
    (signal) => platform.agents.stats(agent.id, { signal }),
    () => 10_000,
  )
  const incidents = agent.watchdog.incidents.toReversed()
  return (
    <div class="stack">
      {agent.status !== 'running' && agent.stopReason !== null && (
        <p class="news">
          {agent.stopReason.text} (<Ago at={agent.stopReason.at} />)
        </p>
      )}
      {agent.warnings?.map(({ field, message }) => (
        <p key={field} class="news">
          {message}
        </p>
      ))}
      <dl class="columns">
        <Figure name="CPU" value={figure(data?.cpu, 0)} unit="% of a core" />
        <Figure name="Memory" value={figure(data?.memory, 0, 1_048_576)} unit="MB" />
        <Figure name="Messages" value={figure(data?.messagesProcessed, 0)} unit="" />
        <Figure name="Average response" {...waited(data?.averageResponseMs)} />
      </dl>
      <section class="card" aria-labelledby="about">
        <div class="head">
          <h2 id="about">About</h2>
          {agent.status === 'running' && (
            <a class="button small primary" href={agentPath(agent.id, 'chat')}>
              <Icon name="send" />
              Open chat
            </a>
          )}
        </div>
        <dl class="facts">
          <dt>Size</dt>
          <dd>{title(agent.plan)}</dd>
          {agent.ownImage && (
            <>
              <dt>Image</dt>
              <dd>
                <code>{agent.ownImage.image}</code>
                {agent.ownImage.changedAt !== null && (
                  <>
                    {' '}
                    chosen <Ago at={agent.ownImage.changedAt} /> by{' '}
                    {agent.ownImage.changedBy?.replace(':', ' ')}
                  </>
                )}
              </dd>
            </>
          )}
          <dt>Running since</dt>
          <dd>{agent.startedAt === null ? 'not running' : <Ago at={agent.startedAt} />}</dd>
          <dt>Created</dt>
          <dd>
            <Ago at={agent.createdAt} />
          </dd>
          <dt>Address</dt>
          <dd class="row">
            <code>{agent.url}</code>
            {agent.status === 'running' && <OpenButton agent={agent} />}
          </dd>
          <dt>Id</dt>
          <dd class="row">
            <code>{agent.id}</code>
            <Copy text={agent.id} label="Copy id" />
          </dd>
        </dl>
      </section>
      <section class="card" aria-labelledby="incidents">
        <h2 id="incidents">Incidents</h2>
        {incidents.length === 0 ? (
          <p class="meta">No incidents. The agent is checked every minute.</p>
        ) : (
          <ul class="stack">
            {incidents.map((incident) => (
              <li key={`${incident.at} ${incident.step}`}>
                <strong>{incident.cause}</strong>{' '}
                <span class="meta">
                  <Ago at={incident.at} />: {incident.step.replaceAll('_', ' ')}, attempt{' '}
                  {incident.attempt}, {incident.resolvedAt === null ? 'not resolved' : 'resolved'}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <History agent={agent} />
    </div>
  )
}

/** The agent's events, and who caused them. */
function History({ agent }: Pick<TabProps, 'agent'>) {
  const { data, error } = useLoad(
    `events ${agent.id}`,
    async (signal) => ({
      events: await platform.agents.events(agent.id, { limit: 200 }, { signal }),
      at: now(),
    }),
    () => 20_000,
  )
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Fault error={error} />
      {data !== undefined && (
        <Timeline agent={agent} events={data.events} to={data.at} actorOf={actorOf} />
      )}
    </section>
  )
}

function actorOf(by: string): string {
  if (by === `user:${user.value?.id}`) return 'you'
  if (by.startsWith('operator:')) return 'an operator'
  return by === 'platform' ? 'the platform' : 'someone else'
}

function Figure({ name, value, unit }: { name: string; value: string | undefined; unit: string }) {
  return (
    <div class="card figure">
      <dt>{name}</dt>
      <dd>
        {value ?? <small>unknown</small>} {value !== undefined && <small>{unit}</small>}
      </dd>
    </div>
  )
}

function waited(ms: number | null | undefined): { value: string | undefined; unit: string } {
  if (ms !== null && ms !== undefined && ms < 1000) return { value: figure(ms, 0), unit: 'ms' }
  return { value: figure(ms, 1, 1000), unit: 's' }
}

function figure(value: number | null | undefined, digits: number, per = 1): string | undefined {
  return value === null || value === undefined
    ? undefined
    : (value / per).toLocaleString('en', { maximumFractionDigits: digits })
}
