import { join } from 'node:path'
import type { CodingAgent } from './coding-agent.ts'

/** The CLI of Continue. */
export const continueCli: CodingAgent = {
  name: 'Continue',
  file: join(import.meta.dirname, 'node_modules/@continuedev/cli/dist/cn.js'),
  config: {
    info: 'yaml continue',
    path: '.continue/config.yaml',
    apis: { chat: [], messages: [['provider: openai', 'provider: anthropic']] },
  },
  env: { CONTINUE_TELEMETRY_ENABLED: '0' },
  args: (prompt, resumes) => ['--auto', '--print', ...(resumes ? ['--resume'] : []), prompt],
  textOf: (out) => out.trim(),
  editing: (file) => [
    { id: 'call_1', name: 'Read', input: { filepath: file } },
    {
      id: 'call_2',
      name: 'MultiEdit',
      input: { file_path: file, edits: [{ old_string: 'Hello', new_string: 'Good day' }] },
    },
    { id: 'call_3', name: 'Bash', input: { command: `cat ${file}` } },
  ],
}
