/** Ids and cursors that the responses to a user contained, so that later requests name existing things. */
export class OwnIds {
  /** Up to 20 ids by the folder of the path whose responses contained them; agents are in `agents`. */
  private readonly ids: Record<string, string[]>

  constructor(agentId: string) {
    this.ids = { agents: [agentId] }
  }

  keep(path: string, text: string, headers: Headers): void {
    const found = [...text.matchAll(/"(?:id|\w+Id|\w+_id|name|address)":"([^"\\]{1,200})"/g)]
    const folder = folderOf(path)
    for (const id of [headers.get('x-next-cursor'), ...found.slice(0, 5).map(([, one]) => one)]) {
      if (!id || id.startsWith('agt_')) continue
      const known = (this.ids[folder] ??= [])
      if (!known.includes(id)) known.unshift(id)
      known.splice(20)
    }
  }

  /** Returns a text with its references replaced by ids of this user. */
  resolved(path: string, text: string): string {
    return text.replace(/own(agent|other)(\d+)end/g, (_, to: string, number: string) => {
      const known = this.ids[to === 'agent' ? 'agents' : folderOf(path)] ?? []
      return known[Number(number) % known.length] ?? 'none'
    })
  }
}

/** Returns the first folder of a path below `/api`. */
function folderOf(path: string): string {
  return `${path.replace(/^\/api/, '').split('/')[1]}/`
}
