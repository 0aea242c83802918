import type { ColonyNode, FleetGraph, Swarm } from '../../../clients/typescript/index.ts'

/** What holds two agents together. */
export interface Link {
  from: string
  to: string
  kind: 'message' | 'clone' | 'swarm'
  /** What a person would say of it, before the name of `to`. */
  words: string
}

interface Sources {
  graph: FleetGraph
  swarms: readonly Swarm[]
  tree: readonly ColonyNode[]
}

/** The links between one's agents: messages on the bus, clones and swarms; each pair of a kind once. */
export function linksOf({ graph, swarms, tree }: Sources): Link[] {
  const messages = graph.edges.map(({ source, target, label }) => ({
    from: source,
    to: target,
    kind: 'message' as const,
    words: `wrote ${label} to`,
  }))
  return [...messages, ...tree.flatMap(clonesOf), ...swarms.flatMap(neighbours)]
}

function clonesOf({ id, children }: ColonyNode): Link[] {
  return children.flatMap((child) => [
    { from: child.id, to: id, kind: 'clone' as const, words: 'clone of' },
    ...clonesOf(child),
  ])
}

/** A ring through a swarm's members shows that they belong together, with fewer lines than each to each. */
function neighbours({ name, agents }: Swarm): Link[] {
  return agents.flatMap((from, i) => {
    const to = agents[(i + 1) % agents.length]
    const closes = i === agents.length - 1 && agents.length < 3
    if (to === undefined || to === from || closes) return []
    return [{ from, to, kind: 'swarm' as const, words: `in ${name} with` }]
  })
}
