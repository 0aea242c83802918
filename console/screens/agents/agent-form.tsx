import type { Billing, Model } from '../../../clients/typescript/index.ts'
import { isOpen } from '../../base/plan.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Choice } from '../../ui/area.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Skeleton } from '../../ui/parts.tsx'

/** Creates an agent with a name and a model of the plan. Without a plan, links to the plans. */
export function AgentForm({
  billing: known,
  onCreated,
}: {
  /** The billing data, if already loaded. */
  billing?: Billing
  onCreated(id: string): void
}) {
  const { data, error } = useLoad('new agent', async (signal) => {
    const [billing, models] = await Promise.all([
      known ?? platform.billing.get({ signal }),
      platform.models.list({ signal }),
    ])
    return { billing, models }
  })
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />
  if (!isOpen(data.billing))
    return (
      <Empty
        icon="card"
        title="Agents require a plan"
        step={
          <a class="button primary" href="/billing">
            Choose a plan
          </a>
        }
      >
        A plan pays for your agent’s container and its model calls.
      </Empty>
    )

  const { currentPlan } = data.billing

  async function create({ name = '', model = '' }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    onCreated(await createAgent(name, model, currentPlan))
  }

  const open = openTo(data.billing, data.models)
  return (
    <Form action="Create agent" onSend={create} class="card">
      <Field label="Name" name="name" autocomplete="off" maxLength={100} required />
      <Choice
        label="Model"
        name="model"
        hint="Prices in US dollars per million tokens: input and output."
      >
        <option value="">The platform’s choice for each task</option>
        {open.map((model) => (
          <option key={model.id} value={model.id}>
            {model.id}
            {priced(model)}
          </option>
        ))}
      </Choice>
    </Form>
  )
}

/** Returns the available models of the plan. Models of the stand-in provider are in every plan. */
function openTo({ plans, currentPlan }: Billing, models: readonly Model[]): Model[] {
  const plan = plans.find(({ name }) => name === currentPlan)
  const allowed = plan?.models
  if (allowed === null) return [...models]
  return models.filter(({ id }) => id.startsWith('local/') || allowed?.includes(id) === true)
}

function priced({ inputCost, outputCost }: Model): string {
  if (inputCost === null || outputCost === null) return ''
  return `: ${inputCost} and ${outputCost}`
}

/**
 * Creates an agent of the plan's size and starts it.
 * @returns its id
 */
async function createAgent(name: string, model: string, plan: string): Promise<string> {
  const { id } = await platform.agents.create({
    name,
    // Without a tier, the platform uses the smallest size.
    tier: plan,
    ...(model !== '' && { config: { model } }),
  })
  return id
}
