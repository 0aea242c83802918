import type { ColonyNode, FleetGraph, Swarm } from '../../../clients/typescript/index.ts'

/** A relation between two agents. */
export interface Link {
  from: string
  to: string
  kind: 'message' | 'clone' | 'swarm'
  /** A verb phrase before the name of `to`. */
  words: string
}

interface Sources {
  graph: FleetGraph
  swarms: readonly Swarm[]
  tree: readonly ColonyNode[]
}

/** Returns the relations between the user's agents: messages, clones and swarms. Each pair is listed once per kind. */
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

/** Links a swarm's members as a ring, which needs fewer lines than every pair. */
function neighbours({ name, agents }: Swarm): Link[] {
  return agents.flatMap((from, i) => {
    const to = agents[(i + 1) % agents.length]
    const closes = i === agents.length - 1 && agents.length < 3
    if (to === undefined || to === from || closes) return []
    return [{ from, to, kind: 'swarm' as const, words: `in ${name} with` }]
  })
}
