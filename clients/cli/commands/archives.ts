import { agentId } from '../agent.ts'
import { command } from '../command.ts'

interface Made {
  agent: { id: string }
}

/** Export, import and duplicate. */
export const archives = {
  export: command(
    { brief: 'Export an agent to a zip file, without its secrets', args: ['agent', 'file?'] },
    async (cli, flags, nameOrId = '', named) => {
      const id = await agentId(cli, flags, nameOrId)
      const platform = await cli.platform(flags)
      const answer = await platform.agents.export(id, { signal: cli.signal })
      // Read the whole body before writing, so that a broken connection leaves no partial file.
      const bytes = new Uint8Array(await answer.arrayBuffer())
      const file = named ?? `${id}.zip`
      await cli.writeFile(file, bytes)
      cli.show(flags, { file, bytes: bytes.length }, () => file)
    },
  ),
  import: command(
    { brief: 'Create an agent from an exported zip file and start it', args: ['file'] },
    async (cli, flags, file = '') => {
      const input = { body: await cli.readFile(file), type: 'application/zip' }
      const made = await cli.ask<Made>(flags, 'POST /api/agents/import', input)
      cli.show(flags, made, () => made.agent.id)
    },
  ),
  duplicate: command(
    { brief: 'Create a copy of an agent and start it', args: ['agent', 'name?'] },
    async (cli, flags, nameOrId = '', name) => {
      const params = { id: await agentId(cli, flags, nameOrId) }
      const input = { params, body: { name } }
      const made = await cli.ask<Made>(flags, 'POST /api/agents/{id}/duplicate', input)
      cli.show(flags, made, () => made.agent.id)
    },
  ),
}
