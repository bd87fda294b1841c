/**
 * The API pages: the OpenAPI document of this gateway, to be read and tried. A group or an operation is drawn when it is
 * opened, so that the page is there at once, however long the document is.
 */
import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Document, type Operation, operationsIn, type Parameter, type Schema, schemaText } from './document.ts';
import './docs.css';

const meta = (name: string): string => document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
const BASE = new URL(`${meta('root')}${meta('api-base')}`, location.href).href.replace(/\/$/, '');

/** Calls to begin with, from nothing to a file. */
const FIRST_CALLS: readonly (readonly [what: string, call: string])[] = [
  ['Which meters are there?', `curl ${BASE}`],
  ['Add a meter', `curl -X PUT ${BASE}/roof/config -H 'Content-Type: application/json' -d '{"host":"192.0.2.40"}'`],
  ['Read its display', `curl ${BASE}/roof/live`],
  ['Start a measurement', `curl -X POST ${BASE}/roof/start`],
  ['The last values of all meters', `curl ${BASE}/_status`],
];

function Page({ api }: { readonly api: Document }) {
  const [filter, setFilter] = useState('');
  const [key, setKey] = useState('');
  const [target, setTarget] = useState(location.hash);
  useEffect(() => {
    const follow = () => setTarget(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const all = operationsIn(api);
  const wanted = filter.trim().toLowerCase();
  const found = all.filter(({ words }) => words.includes(wanted));
  return (
    <main>
      <h1>
        {api.info.title} <small>{api.info.version}</small>
      </h1>
      <p>{api.info.description}</p>
      <section aria-labelledby="first">
        <h2 id="first">Five calls to begin with</h2>
        {FIRST_CALLS.map(([what, call]) => (
          <Call key={call} what={what} text={call} />
        ))}
        <p>With a key, add -H 'Authorization: Bearer KEY'.</p>
      </section>
      <div class="fields">
        <label>
          Find an operation
          <input type="search" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
        </label>
        <label>
          API key, if you are not signed in
          <input
            type="password"
            autoComplete="off"
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value.trim())}
          />
        </label>
      </div>
      <p role="status">{wanted !== '' && `${found.length} of ${all.length} operations`}</p>
      {api.tags.map(({ name, description }) => {
        const own = found.filter(({ tag }) => tag === name);
        const isTarget = target.startsWith(`#/${name}/`) || (wanted !== '' && found.length <= 20);
        return (
          own.length > 0 && (
            <Opened
              key={`${name} ${isTarget}`}
              isOpen={isTarget}
              class="group"
              id={`group-${name}`}
              title={<h2>{name}</h2>}
              more={description}
            >
              {() => own.map((one) => <OperationEntry key={one.id} api={api} one={one} target={target} apiKey={key} />)}
            </Opened>
          )
        );
      })}
    </main>
  );
}

interface OpenedProps {
  readonly isOpen: boolean;
  readonly class: string;
  readonly id: string | undefined;
  readonly title: ComponentChildren;
  readonly more: string;
  children(): ComponentChildren;
}

function Opened({ isOpen: begins, class: look, id, title, more, children }: OpenedProps) {
  const [isOpen, setOpen] = useState(begins);
  return (
    <details class={look} id={id} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} <span>{more}</span>
      </summary>
      {isOpen && children()}
    </details>
  );
}

interface EntryProps {
  readonly api: Document;
  readonly one: Operation;
  readonly target: string;
  readonly apiKey: string;
}

function OperationEntry({ api, one, target, apiKey }: EntryProps) {
  const { id, tag, method, path, summary } = one;
  const isTarget = target === `#/${tag}/${id}`;
  useEffect(() => {
    if (isTarget) document.getElementById(id)?.scrollIntoView();
  }, [isTarget]);
  const title = (
    <h3>
      <b class={method}>{method.toUpperCase()}</b> <code>{path}</code>
    </h3>
  );
  return (
    <Opened key={`${isTarget}`} isOpen={isTarget} class="operation" id={id} title={title} more={summary}>
      {() => <OperationBody api={api} one={one} apiKey={apiKey} />}
    </Opened>
  );
}

function OperationBody({ api, one, apiKey }: Omit<EntryProps, 'target'>) {
  const { id, tag, access, description, parameters, body, answers, isSocket } = one;
  return (
    <>
      <p>{description}</p>
      <p>
        <a href={`#/${tag}/${id}`}>{id}</a>, for: {access}
      </p>
      {isSocket ? (
        <p>A WebSocket: the document AsyncAPI describes its messages.</p>
      ) : (
        <Trial one={one} apiKey={apiKey} />
      )}
      {body && <Shape title="Body" api={api} schema={body.schema} />}
      <h4>Answers</h4>
      {answers.map(({ status, description: what, schema }) => (
        <Shape key={status} title={`${status} ${what}`} api={api} schema={schema} />
      ))}
      {parameters.length > 0 && (
        <dl>
          {parameters.map(({ name, place, what }) => (
            <>
              <dt>
                <code>{name}</code>, {place}
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
      )}
    </>
  );
}

interface ShapeProps {
  readonly title: string;
  readonly api: Document;
  readonly schema: Schema | undefined;
}

function Shape({ title, api, schema }: ShapeProps) {
  if (!schema) return <p>{title}</p>;
  return (
    <Opened isOpen={false} class="shape" id={undefined} title={title} more="">
      {() => <pre>{schemaText(api, schema) || JSON.stringify(schema, null, 2)}</pre>}
    </Opened>
  );
}

function Trial({ one, apiKey }: { readonly one: Operation; readonly apiKey: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(one.body?.example ?? '');
  const [answer, setAnswer] = useState('');
  const address = addressOf(one, values);
  const send = async (event: Event) => {
    event.preventDefault();
    setAnswer('Waiting for the answer ...');
    const began = performance.now();
    try {
      const headers = {
        ...(apiKey !== '' && { Authorization: `Bearer ${apiKey}` }),
        ...(one.body && { 'Content-Type': one.body.type }),
      };
      const reply = await fetch(address, { method: one.method.toUpperCase(), headers, ...(one.body && { body }) });
      const text = await textOf(reply);
      setAnswer(`${reply.status} ${reply.statusText}, ${Math.round(performance.now() - began)} ms\n\n${text}`);
    } catch (error) {
      setAnswer(`No answer: ${error}`);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <div class="fields">
        {one.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={values[parameter.name] ?? ''}
            change={(value) => setValues({ ...values, [parameter.name]: value })}
          />
        ))}
      </div>
      {one.body && (
        <label>
          Body
          <textarea rows={6} value={body} onInput={({ currentTarget }) => setBody(currentTarget.value)} />
        </label>
      )}
      <Call what="The same in a shell" text={curlOf(one, address, body)} />
      <button type="submit">Send</button>
      <pre role="status">{answer}</pre>
    </form>
  );
}

interface ParameterProps {
  readonly parameter: Parameter;
  readonly value: string;
  change(value: string): void;
}

function ParameterField({ parameter: { name, choices, isRequired, hint }, value, change }: ParameterProps) {
  if (choices.length === 0)
    return (
      <label>
        {name}
        <input
          required={isRequired}
          value={value}
          placeholder={hint}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </label>
    );
  return (
    <label>
      {name}
      <select required={isRequired} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {['', ...choices].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

function Call({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <p class="call">
      <span>{what}</span> <code>{text}</code>{' '}
      <button type="button" aria-label={`Copy: ${what}`} onClick={() => void navigator.clipboard?.writeText(text)}>
        Copy
      </button>
    </p>
  );
}

function addressOf({ path, server, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    values[name] ? encodeURIComponent(values[name]) : whole,
  );
  const query = parameters.flatMap(({ name, place }) =>
    place === 'query' && values[name] ? [[name, values[name]]] : [],
  );
  const words = new URLSearchParams(query).toString();
  const root = new URL(server, `${BASE}/`).href.replace(/\/$/, '');
  return `${root}${filled === '/' ? '' : filled}${words && `?${words}`}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf({ method, body: wanted }: Operation, address: string, body: string): string {
  const data = wanted ? ` -H 'Content-Type: ${wanted.type}' -d ${quoted(body)}` : '';
  return `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quoted(address)}${data}`;
}

const MOST_SHOWN = 30_000;

async function textOf(reply: Response): Promise<string> {
  const type = reply.headers.get('content-type') ?? '';
  if (!/json|text|csv|xml/.test(type)) return `${(await reply.arrayBuffer()).byteLength} bytes of ${type || 'nothing'}`;
  const sent = await reply.text();
  const text = type.includes('json') ? JSON.stringify(JSON.parse(sent), null, 2) : sent;
  return text.length > MOST_SHOWN
    ? `${text.slice(0, MOST_SHOWN)}\n... ${text.length - MOST_SHOWN} characters more`
    : text;
}

const page = document.getElementById('page');
if (page) {
  const reply = await fetch(`${BASE}/openapi.json`);
  render(<Page api={await reply.json()} />, page);
}
