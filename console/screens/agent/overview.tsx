import { platform } from '../../app/platform.ts'
import { agentPath } from '../../app/agents.ts'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Copy } from '../../ui/parts.tsx'
import type { TabProps } from './tab.ts'

interface Stats {
  cpu: number | null
  memory: number | null
  memoryPercent: number | null
  uptimeMs: number | null
  messagesProcessed: number
  averageResponseMs: number | null
}

/** An agent at a glance. */
export function Overview({ agent }: TabProps) {
  const { data } = useLoad(
    `stats ${agent.id}`,
    async (signal) =>
      (await platform.get<{ stats: Stats }>(`/api/agents/${agent.id}/stats`, { signal })).stats,
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
      <dl class="columns">
        <Figure name="Processor" value={figure(data?.cpu, 0)} unit="% of a core" />
        <Figure name="Memory" value={figure(data?.memory, 0, 1_048_576)} unit="MB" />
        <Figure name="Messages" value={figure(data?.messagesProcessed, 0)} unit="" />
        <Figure name="Usual answer" value={figure(data?.averageResponseMs, 1, 1000)} unit="s" />
      </dl>
      <section class="card" aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl class="facts">
          <dt>Model</dt>
          <dd>{agent.model}</dd>
          <dt>Plan</dt>
          <dd>{agent.plan}</dd>
          <dt>Running since</dt>
          <dd>{agent.startedAt === null ? 'not running' : <Ago at={agent.startedAt} />}</dd>
          <dt>Made</dt>
          <dd>
            <Ago at={agent.createdAt} />
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
          <p class="meta">None. The watchdog looks at it every minute.</p>
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
      {agent.status === 'running' && (
        <p>
          <a class="button primary" href={agentPath(agent.id, 'chat')}>
            <Icon name="send" />
            Talk to it
          </a>
        </p>
      )}
    </div>
  )
}

function Figure({ name, value, unit }: { name: string; value: string | undefined; unit: string }) {
  return (
    <div class="card figure">
      <dt>{name}</dt>
      <dd>
        {value ?? <small>not known</small>} {value !== undefined && <small>{unit}</small>}
      </dd>
    </div>
  )
}

function figure(value: number | null | undefined, digits: number, per = 1): string | undefined {
  return value === null || value === undefined
    ? undefined
    : (value / per).toLocaleString('en', { maximumFractionDigits: digits })
}
