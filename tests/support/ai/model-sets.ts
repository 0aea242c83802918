import type { ModelSettings } from '#shared/money/plans/model-sets.ts'

const label = ['openai/gpt-4o-mini', 'google/gemini-2.0-flash', 'xiaomi/mimo-v2-pro']
const solo = [...label, 'openai/gpt-4o', 'anthropic/claude-3.5-sonnet']
const collective = [...solo, 'openai/gpt-4-turbo', 'anthropic/claude-3-opus']

/** Model sets of tests, which do not depend on current models. */
export const testModelSets = {
  PLAN_MODELS: { label, solo, collective },
  TASK_MODELS: {
    reasoning: [
      'deepseek/deepseek-r1',
      'meta-llama/llama-3.3-70b-instruct',
      'moonshotai/kimi-k2.5',
    ],
    coding: [
      'qwen/qwen-2.5-coder-32b-instruct',
      'deepseek/deepseek-r1',
      'google/gemini-2.0-flash-001',
    ],
    fast: [
      'meta-llama/llama-3.3-70b-instruct',
      'mistralai/mistral-7b-instruct',
      'google/gemini-2.0-flash-001',
    ],
    creative: ['moonshotai/kimi-k2.5', 'deepseek/deepseek-r1', 'meta-llama/llama-3.3-70b-instruct'],
  },
  DEMO_MODELS: [
    'xiaomi/mimo-v2-pro',
    'anthropic/claude-sonnet-4.5',
    'openai/gpt-4o',
    'google/gemini-2.5-flash',
    'deepseek/deepseek-r1',
    'minimax/minimax-chat',
  ],
} as const satisfies ModelSettings

/** The same sets as environment variables. */
export const testModelVariables = Object.fromEntries(
  Object.entries(testModelSets).map(([name, value]) => [name, JSON.stringify(value)]),
)
