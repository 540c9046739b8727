import * as THREE from 'three';
import { toneShoulder } from './shaders';

// Ambient occlusion from the depths of the picture (McGuire, Osman, Bukowski, Hennessy 2011, "The Alchemy Screen-Space
// Ambient Obscurance Algorithm", equation 10):
//     A = max(0, 1 − 2 σ/s · Σ max(0, v·n − β) / (v·v + ε)),
// v from a point to a sample on the surface around it, n its normal. Samples lie on a spiral that each pixel turns by
// another angle; a filter that stops at borders of depth averages 4 × 4 pixels, in which all angles occur.

const quad = /* glsl */ `
varying vec2 vUv;
void main() {
  vUv = position.xy * 0.5 + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

const depthPars = /* glsl */ `
uniform sampler2D uDepth;
uniform mat4 uUnproject;
float depthAt(vec2 uv) { return textureLod(uDepth, uv, 0.0).x; }
vec3 placeAt(vec2 uv) {
  vec4 p = uUnproject * vec4(vec3(uv, depthAt(uv)) * 2.0 - 1.0, 1.0);
  return p.xyz / p.w;
}
`;

const occlusion = /* glsl */ `
varying vec2 vUv;
uniform vec2 uPixel;
uniform float uRadius;
uniform float uScale;
${depthPars}
const int samples = 14;
void main() {
  if (depthAt(vUv) >= 1.0) { gl_FragColor = vec4(1.0); return; }
  vec3 c = placeAt(vUv);
  vec3 r = placeAt(vUv + vec2(uPixel.x, 0.0)), l = placeAt(vUv - vec2(uPixel.x, 0.0));
  vec3 u = placeAt(vUv + vec2(0.0, uPixel.y)), d = placeAt(vUv - vec2(0.0, uPixel.y));
  vec3 dx = abs(r.z - c.z) < abs(c.z - l.z) ? r - c : c - l;
  vec3 dy = abs(u.z - c.z) < abs(c.z - d.z) ? u - c : c - d;
  vec3 n = normalize(cross(dx, dy));
  vec2 reach = vec2(uPixel.x / uPixel.y, 1.0) * min(uScale * uRadius / -c.z, 0.25);
  ivec2 cell = ivec2(gl_FragCoord.xy) % 4;
  float turn = float(cell.x * 4 + ((cell.y * 5 + cell.x * 2) % 4)) * 0.3927;
  float sum = 0.0;
  for (int i = 0; i < samples; ++i) {
    float a = (float(i) + 0.5) / float(samples);
    float angle = a * 6.2832 * 3.0 + turn;
    vec3 v = placeAt(vUv + reach * a * vec2(cos(angle), sin(angle))) - c;
    float vv = dot(v, v);
    float near = clamp(1.0 - vv / (uRadius * uRadius), 0.0, 1.0);
    sum += near * max(0.0, dot(v, n) - 0.0008 * -c.z) / (vv + 0.02 * uRadius * uRadius);
  }
  gl_FragColor = vec4(vec3(clamp(1.0 - sum * 2.2 * uRadius / float(samples), 0.0, 1.0)), 1.0);
}`;

const compose = /* glsl */ `
varying vec2 vUv;
uniform sampler2D uColour;
uniform sampler2D uOcclusion;
uniform vec2 uPixel;
uniform float uStrength;
${depthPars}
${toneShoulder}
void main() {
  float here = placeAt(vUv).z;
  float sum = 0.0, weights = 0.0;
  for (int y = -2; y < 2; ++y) {
    for (int x = -2; x < 2; ++x) {
      vec2 at = vUv + (vec2(float(x), float(y)) + 0.5) * uPixel;
      float w = max(1e-3, 1.0 - abs(placeAt(at).z - here) / (0.02 * abs(here)));
      sum += w * textureLod(uOcclusion, at, 0.0).x;
      weights += w;
    }
  }
  vec3 c = textureLod(uColour, vUv, 0.0).rgb;
  float seen = mix(1.0, sum / weights, uStrength);
  // What is in the dark keeps a little of its hue.
  c *= mix(vec3(seen), vec3(1.0), 0.12 * (1.0 - seen));
  gl_FragColor = vec4(shoulder(c), 1.0);
  #include <colorspace_fragment>
}`;

interface Buffers {
  target: THREE.WebGLRenderTarget;
  shade: THREE.WebGLRenderTarget;
}

export class Ambient {
  strength = 0.75;
  radius = 0.1;
  private readonly buffers = new Map<string, Buffers>();
  private readonly screen = new THREE.BufferGeometry();
  private readonly eye = new THREE.Camera();
  private readonly first: THREE.ShaderMaterial;
  private readonly second: THREE.ShaderMaterial;
  private readonly mesh: THREE.Mesh;
  private readonly uniforms = {
    uDepth: { value: null as THREE.Texture | null },
    uColour: { value: null as THREE.Texture | null },
    uOcclusion: { value: null as THREE.Texture | null },
    uUnproject: { value: new THREE.Matrix4() },
    uPixel: { value: new THREE.Vector2() },
    uRadius: { value: 0.1 },
    uScale: { value: 1 },
    uStrength: { value: 1 },
  };

  constructor() {
    this.screen.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const pass = (fragmentShader: string): THREE.ShaderMaterial =>
      new THREE.ShaderMaterial({
        uniforms: this.uniforms,
        vertexShader: quad,
        fragmentShader,
        depthTest: false,
        depthWrite: false,
        toneMapped: false,
      });
    this.first = pass(occlusion);
    this.second = pass(compose);
    this.mesh = new THREE.Mesh(this.screen, this.first);
    this.mesh.frustumCulled = false;
  }

  /** The two parts of a picture side by side may differ in size: both keep their buffers. */
  private sized(width: number, height: number): Buffers {
    const key = `${width}x${height}`;
    let found = this.buffers.get(key);
    if (!found) {
      if (this.buffers.size > 1) {
        for (const old of this.buffers.values()) {
          old.target.depthTexture?.dispose();
          old.target.dispose();
          old.shade.dispose();
        }
        this.buffers.clear();
      }
      const depthTexture = new THREE.DepthTexture(width, height, THREE.UnsignedIntType);
      found = {
        target: new THREE.WebGLRenderTarget(width, height, { type: THREE.HalfFloatType, samples: 4, depthTexture }),
        shade: new THREE.WebGLRenderTarget(width, height, { depthBuffer: false }),
      };
      this.buffers.set(key, found);
    }
    return found;
  }

  /** Into the viewport that is set, whose size is given in CSS pixels. */
  draw(renderer: THREE.WebGLRenderer, scene: THREE.Scene, camera: THREE.PerspectiveCamera, width: number, height: number): void {
    const ratio = renderer.getPixelRatio();
    const { target, shade } = this.sized(Math.max(1, Math.floor(width * ratio)), Math.max(1, Math.floor(height * ratio)));
    const u = this.uniforms;
    u.uUnproject.value.copy(camera.projectionMatrixInverse);
    u.uPixel.value.set(1 / target.width, 1 / target.height);
    u.uRadius.value = this.radius;
    u.uScale.value = 0.5 * camera.projectionMatrix.elements[5]!;
    u.uStrength.value = this.strength;
    u.uDepth.value = target.depthTexture;
    u.uColour.value = target.texture;
    u.uOcclusion.value = shade.texture;
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    this.mesh.material = this.first;
    renderer.setRenderTarget(shade);
    renderer.render(this.mesh, this.eye);
    this.mesh.material = this.second;
    renderer.setRenderTarget(null);
    renderer.render(this.mesh, this.eye);
  }
}
