import { join } from 'node:path'
import type { CodingAgent } from './coding-agent.ts'

/** A message of `--output-format json`. */
interface QwenMessage {
  type: string
  result?: string
}

export const qwenCode: CodingAgent = {
  name: 'Qwen Code',
  file: join(import.meta.dirname, 'more/node_modules/@qwen-code/qwen-code/cli-entry.js'),
  config: {
    info: 'json qwen-code',
    path: '.qwen/settings.json',
    apis: {
      chat: [],
      messages: [
        ['"openai"', '"anthropic"'],
        ['3001/v1', '3001'],
      ],
      responses: [['"openai"', '"openai-responses"']],
    },
  },
  env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
  args: (prompt, resumes) => [
    '--yolo',
    '--output-format=json',
    ...(resumes ? ['--continue'] : []),
    prompt,
  ],
  textOf: (out) =>
    (JSON.parse(out) as QwenMessage[]).findLast(({ type }) => type === 'result')?.result,
  editing: (file) => [
    { id: 'call_1', name: 'read_file', input: { file_path: file } },
    {
      id: 'call_2',
      name: 'edit',
      input: { file_path: file, old_string: 'Hello', new_string: 'Good day' },
    },
    {
      id: 'call_3',
      name: 'run_shell_command',
      input: { command: `cat ${file}`, is_background: false },
    },
  ],
}
