import type { Platform } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import type { Cli } from '../cli.ts'
import { command } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'

interface Made {
  agent: { id: string }
}

/** Larger archives are uploaded by a link, and exported by a job: contract.md 16. */
const directBytes = 4 * 1024 * 1024

/** Waits until a large archive is written. @returns the response with its content */
async function whenDone(
  { signal }: Cli,
  { agents }: Platform,
  id: string,
  answer: Response,
): Promise<Response> {
  const { exportId } = (await answer.json()) as { exportId: string }
  const { url } = await agents.exports.wait(id, exportId, { signal })
  if (url === null) throw new CommandError(exitCodes.failed, 'The export failed')
  const archive = await fetch(url, { signal })
  if (archive.ok) return archive
  throw new CommandError(exitCodes.failed, `The download failed: ${archive.status}`)
}

/** Uploads a large archive. @returns the id of the import */
async function uploaded({ signal }: Cli, { agents }: Platform, zip: Blob): Promise<string> {
  const link = await agents.imports.create({ size: zip.size }, { signal })
  const { url, method, headers, importId } = link
  const answer = await fetch(url, { method, headers, body: zip, signal })
  if (answer.ok) return importId
  throw new CommandError(exitCodes.failed, `The upload failed: ${answer.status}`)
}

/** Export, import and duplicate. */
export const archives = {
  export: command(
    { brief: 'Export an agent to a zip file, without its secrets', args: ['agent', 'file?'] },
    async (cli, flags, nameOrId = '', named) => {
      const id = await agentId(cli, flags, nameOrId)
      const platform = await cli.platform(flags)
      const answer = await platform.agents.export(id, { signal: cli.signal })
      const file = named ?? `${id}.zip`
      const archive = answer.status === 202 ? await whenDone(cli, platform, id, answer) : answer
      const bytes = await cli.saveFile(file, archive)
      cli.show(flags, { file, bytes }, () => file)
    },
  ),
  import: command(
    { brief: 'Create an agent from an exported zip file and start it', args: ['file'] },
    async (cli, flags, file = '') => {
      const zip = await cli.openFile(file)
      const input =
        zip.size <= directBytes
          ? { body: new Uint8Array(await zip.arrayBuffer()), type: 'application/zip' }
          : { body: { importId: await uploaded(cli, await cli.platform(flags), zip) } }
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
