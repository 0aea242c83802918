import { join } from 'node:path'
import type { CodingAgent } from './coding-agent.ts'

/** An event of `--format json`. */
interface OpencodeEvent {
  type: string
  part?: { text?: string }
}

export const opencode: CodingAgent = {
  name: 'opencode',
  file: join(
    import.meta.dirname,
    `more/node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
  ),
  config: {
    info: 'json opencode',
    path: '.config/opencode/opencode.json',
    apis: {
      chat: [],
      messages: [['@ai-sdk/openai-compatible', '@ai-sdk/anthropic']],
      responses: [['@ai-sdk/openai-compatible', '@ai-sdk/openai']],
    },
  },
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  // Without a title, it asks the model for one.
  args: (prompt, resumes) => [
    'run',
    '--format=json',
    ...(resumes ? ['--continue'] : ['--title=Test']),
    prompt,
  ],
  textOf: (out) => {
    const lines = out.split('\n').filter((line) => line.startsWith('{'))
    const events = lines.map((line) => JSON.parse(line) as OpencodeEvent)
    return events.findLast(({ type }) => type === 'text')?.part?.text
  },
  editing: (file) => [
    { id: 'call_1', name: 'read', input: { filePath: file } },
    {
      id: 'call_2',
      name: 'edit',
      input: { filePath: file, oldString: 'Hello', newString: 'Good day' },
    },
    { id: 'call_3', name: 'bash', input: { command: `cat ${file}`, description: 'Prints it' } },
  ],
}
