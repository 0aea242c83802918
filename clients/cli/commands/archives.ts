import { agentId } from '../agent.ts'
import { command } from '../command.ts'

interface Made {
  agent: { id: string }
}

/** Agents as files, and agents like others. */
export const archives = {
  export: command(
    { brief: 'Write an agent to a zip, without its secrets', args: ['agent', 'file?'] },
    async (cli, flags, meant = '', named) => {
      const id = await agentId(cli, flags, meant)
      const platform = await cli.platform(flags)
      const answer = await platform.agents.export(id, { signal: cli.signal })
      // As a whole, so that an answer that breaks off leaves no half file.
      const bytes = new Uint8Array(await answer.arrayBuffer())
      const file = named ?? `${id}.zip`
      await cli.writeFile(file, bytes)
      cli.show(flags, { file, bytes: bytes.length }, () => file)
    },
  ),
  import: command(
    { brief: 'Make an agent of such a zip and start it', args: ['file'] },
    async (cli, flags, file = '') => {
      const input = { body: await cli.readFile(file), type: 'application/zip' }
      const made = await cli.ask<Made>(flags, 'POST /api/agents/import', input)
      cli.show(flags, made, () => made.agent.id)
    },
  ),
  duplicate: command(
    { brief: 'Make an agent like another and start it', args: ['agent', 'name?'] },
    async (cli, flags, meant = '', name) => {
      const params = { id: await agentId(cli, flags, meant) }
      const input = { params, body: { name } }
      const made = await cli.ask<Made>(flags, 'POST /api/agents/{id}/duplicate', input)
      cli.show(flags, made, () => made.agent.id)
    },
  ),
}
