/** contract.md 5: the models that anyone may try without an account, the default first. */
export const demoModels = [
  { id: 'xiaomi/mimo-v2-pro', name: 'MiMo V2 Pro' },
  { id: 'anthropic/claude-sonnet-4.5', name: 'Claude Sonnet 4.5' },
  { id: 'openai/gpt-4o', name: 'GPT-4o' },
  { id: 'google/gemini-2.5-flash', name: 'Gemini 2.5 Flash' },
  { id: 'deepseek/deepseek-r1', name: 'DeepSeek R1' },
  { id: 'minimax/minimax-chat', name: 'MiniMax Chat' },
] as const satisfies readonly { id: string; name: string }[]
