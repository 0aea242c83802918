import { basename } from 'node:path'
import { buildRouteMap } from '@stricli/core'
import { agentId } from '../agent.ts'
import { command, flag } from '../command.ts'
import { listRemote } from '../files/remote.ts'
import { type SyncDone, syncDown, syncUp } from '../files/sync.ts'
import { upload } from '../files/transfer.ts'

export const files = buildRouteMap({
  docs: { brief: 'Read and write the files of an agent' },
  routes: {
    ls: command(
      { brief: 'List a folder; the workspace by default', args: ['agent', 'path?'] },
      async (cli, flags, nameOrId = '', path = '') => {
        const id = await agentId(cli, flags, nameOrId)
        const entries = await listRemote(await cli.platform(flags), id, path, cli.signal)
        cli.list(flags, entries, ['type', 'size', 'modified', 'path'])
      },
    ),
    get: command(
      {
        brief: 'Read a file, to a file of its name or another one; - is standard output',
        args: ['agent', 'path', 'file?'],
      },
      async (cli, flags, nameOrId = '', path = '', file = basename(path)) => {
        const id = await agentId(cli, flags, nameOrId)
        const { files: remote } = (await cli.platform(flags)).agents
        const answer = await remote.get(id, path, { signal: cli.signal })
        if (file === '-') {
          cli.bytes(new Uint8Array(await answer.arrayBuffer()))
          return
        }
        const bytes = await cli.saveFile(file, answer)
        cli.show(flags, { path, file, bytes }, () => file)
      },
    ),
    put: command(
      {
        brief: 'Write a file, from a file or from standard input with -',
        args: ['agent', 'file', 'path?'],
      },
      async (cli, flags, nameOrId = '', file = '', path = basename(file)) => {
        const id = await agentId(cli, flags, nameOrId)
        const platform = await cli.platform(flags)
        const target = { platform, id, path, signal: cli.signal }
        const isInput = file === '-'
        const content = isInput ? new Blob([await cli.inputBytes()]) : await cli.openFile(file)
        const bytes = await upload(target, content)
        cli.show(flags, { path, bytes }, () => path)
      },
    ),
    rm: command(
      { brief: 'Delete a file, or a folder with its content', args: ['agent', 'path'] },
      async (cli, flags, nameOrId = '', path = '') => {
        const id = await agentId(cli, flags, nameOrId)
        const { files: remote } = (await cli.platform(flags)).agents
        const options = { recursive: true, signal: cli.signal }
        const answer = await remote.delete(id, path, options)
        cli.show(flags, answer, () => path)
      },
    ),
    sync: command(
      {
        brief: 'Copy what is new or newer in a folder of this computer to the agent, or back',
        args: ['agent', 'folder', 'path?'],
        flags: {
          down: flag.yes('Copy from the agent to the folder'),
          delete: flag.yes('Delete files at the target that the source does not have'),
        },
      },
      async (cli, flags, nameOrId = '', folder = '', path = '') => {
        const id = await agentId(cli, flags, nameOrId)
        const platform = await cli.platform(flags)
        const sides = { platform, id, path, folder, signal: cli.signal }
        const options = {
          deletes: flags.delete,
          onStep: (what: string, name: string) => cli.say(`${what} ${name}`),
        }
        const sync = flags.down ? syncDown : syncUp
        const done: SyncDone = await sync(sides, options)
        const words = () => `${done.copied} copied, ${done.deleted} deleted`
        cli.show(flags, done, words)
      },
    ),
  },
})
