import { useEffect } from 'preact/hooks'
import { agentPath, listAgents, pollInterval } from '../../base/agents.ts'
import { go, query } from '../../base/router.ts'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { AgentList } from './agent-list.tsx'

/** `/agents`. */
export function Agents() {
  const { data, error } = useLoad('agents', listAgents, (agents) =>
    pollInterval(agents.map(({ status }) => status)),
  )
  // An agent's host redirects users without access here, with its host name.
  const at = query.value.get('at')
  const there = data?.find(({ websocketUrl }) => new URL(websocketUrl).host.startsWith(`${at}.`))
  useEffect(() => {
    if (there !== undefined) go(agentPath(there.id), { replace: true })
  }, [there])
  const create = (
    <a class="button primary" href="/agents/new">
      <Icon name="plus" />
      New agent
    </a>
  )
  return (
    <>
      <Head title="Agents" lead="Each agent runs in its own container, which is monitored.">
        {data?.length !== 0 && create}
      </Head>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && (
        <Empty icon="agent" title="No agents yet" step={create}>
          Enter a name, choose a model, and chat a few seconds later.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && <AgentList agents={data} />}
    </>
  )
}
