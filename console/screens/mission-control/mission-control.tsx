import type { ColonyTree } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { Graph } from './graph.tsx'
import { linksOf } from './links.ts'
import { Traces } from './traces.tsx'
import './mission-control.css'

/** `/mission-control`. */
export default function MissionControl() {
  const fleet = useLoad(
    'fleet',
    async (signal) => {
      const [graph, swarms, colony] = await Promise.all([
        platform.fleet.graph({ signal }),
        platform.swarms.list({ signal }),
        platform.colony.status({ action: 'tree' }, { signal }),
      ])
      const { tree } = colony as ColonyTree
      return { nodes: graph.nodes, links: linksOf({ graph, swarms, tree }) }
    },
    () => 20_000,
  )
  const turns = useLoad(
    'traces',
    async (signal) => (await platform.fleet.traces({ signal })).traces,
    (traces) => (traces.some(({ status }) => status === 'running') ? 3000 : 15_000),
  )
  return (
    <>
      <Head title="Mission control" lead="Links between your agents, and their latest turns." />
      <div class="stack">
        <Fault error={fleet.error ?? turns.error} />
        {fleet.data === undefined && fleet.error === undefined && <Skeleton />}
        {fleet.data?.nodes.length === 0 && (
          <Empty
            icon="graph"
            title="No agents yet"
            step={
              <a class="button primary" href="/agents/new">
                Create an agent
              </a>
            }
          >
            Links and turns of your agents appear here.
          </Empty>
        )}
        {fleet.data !== undefined && fleet.data.nodes.length > 0 && (
          <section class="stack" aria-labelledby="fleet">
            <h2 id="fleet">Agents</h2>
            <Graph {...fleet.data} />
          </section>
        )}
        {turns.data !== undefined && (fleet.data?.nodes.length ?? 0) > 0 && (
          <section class="stack" aria-labelledby="turns">
            <h2 id="turns">Last turns</h2>
            {turns.data.length === 0 ? (
              <p class="meta">No turns yet.</p>
            ) : (
              <Traces traces={turns.data} />
            )}
          </section>
        )}
      </div>
    </>
  )
}
