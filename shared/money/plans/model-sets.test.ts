import { expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { testModelSets } from '#tests/support/ai/model-sets.ts'
import { furtherOf, modelSetsOf, modelsOf } from './model-sets.ts'
import { plans } from './plans.ts'

const { PLAN_MODELS, TASK_MODELS, DEMO_MODELS } = testModelSets
const five = PLAN_MODELS.solo

it('settings replace the sets of the file, each separately', () => {
  const file = modelSetsOf(loadConfig({}))
  const settings = loadConfig({ PLAN_MODELS: JSON.stringify(PLAN_MODELS) })
  const sets = modelSetsOf(settings)
  expect(modelsOf(sets, plans.label)).toEqual(PLAN_MODELS.label)
  expect(modelsOf(sets, plans.network)).toBeNull()
  expect([sets.tasks, sets.demo]).toEqual([file.tasks, file.demo])
  const tasks = modelSetsOf(loadConfig({ TASK_MODELS: JSON.stringify(TASK_MODELS) }))
  expect(tasks).toMatchObject({ tasks: TASK_MODELS, plans: file.plans })
  for (const written of [JSON.stringify(DEMO_MODELS), DEMO_MODELS.join(', ')])
    expect(modelSetsOf(loadConfig({ DEMO_MODELS: written })).demo).toEqual(DEMO_MODELS)
})

it('plans also have the further models, which PLAN_MODELS replaces with the sets', () => {
  const file = modelSetsOf(loadConfig({}))
  expect(furtherOf(file, plans.label)).toContain('openai/text-embedding-3-small')
  expect(modelsOf(file, plans.label)).toHaveLength(3)
  expect(furtherOf(file, { ...plans.label, models: ['acme/chat'] })).toEqual([])
  const without = modelSetsOf(loadConfig({ PLAN_MODELS: JSON.stringify(PLAN_MODELS) }))
  expect(furtherOf(without, plans.label)).toEqual([])
  const further = { label: ['acme/embed'] }
  const added = modelSetsOf(
    loadConfig({ PLAN_MODELS: JSON.stringify({ ...PLAN_MODELS, further }) }),
  )
  expect(modelsOf(added, plans.label)).toEqual(PLAN_MODELS.label)
  expect(furtherOf(added, plans.label)).toEqual(['acme/embed'])
  expect(furtherOf(added, plans.solo)).toEqual([])
  expect(added.all.has('acme/embed')).toBe(false)
})

it.each([
  ['PLAN_MODELS', 'label'],
  ['PLAN_MODELS', '{}'],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, label: five })],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, solo: [...five.slice(0, 4), five[0]] })],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, network: five })],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, label: [1, 2, 3] })],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, further: { label: ['a/b', 'a/b'] } })],
  ['PLAN_MODELS', JSON.stringify({ ...PLAN_MODELS, further: { network: ['a/b'] } })],
  ['TASK_MODELS', JSON.stringify({ ...TASK_MODELS, fast: [] })],
  ['TASK_MODELS', JSON.stringify({ fast: TASK_MODELS.fast })],
  ['DEMO_MODELS', 'openai/gpt-4o'],
  ['DEMO_MODELS', JSON.stringify({ models: DEMO_MODELS })],
  ['DEMO_MODELS', JSON.stringify([...DEMO_MODELS.slice(0, 5), ''])],
])('%s of %s stops the start with an error that names the setting', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name}: must be`))
})
