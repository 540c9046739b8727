// Pieces of GLSL that are put into the materials of three.js.

/**
 * The vertices of a soft body from its texture: texel 4 v has the place and a number to colour by, the three after it the
 * rows of the cofactor that turns normals. `skinA` and `weightA` say which vertices carry a point.
 */
export const skinPars = /* glsl */ `
uniform highp sampler2D uVertices;
attribute vec4 skinA;
attribute vec4 weightA;
varying float vScalar;
const int perRow = 256;

ivec2 placeOf(float vertex) {
  int v = int(vertex + 0.5);
  return ivec2(4 * (v % perRow), v / perRow);
}
void carry(float vertex, float weight, inout vec4 point, inout vec3 turned, vec3 rest) {
  if (weight == 0.0) return;
  ivec2 at = placeOf(vertex);
  point += weight * texelFetch(uVertices, at, 0);
#ifdef SKIN_NORMALS
  vec3 a = texelFetch(uVertices, at + ivec2(1, 0), 0).xyz;
  vec3 b = texelFetch(uVertices, at + ivec2(2, 0), 0).xyz;
  vec3 c = texelFetch(uVertices, at + ivec2(3, 0), 0).xyz;
  turned += weight * vec3(dot(a, rest), dot(b, rest), dot(c, rest));
#endif
}
void skinned(vec3 rest, out vec4 point, out vec3 turned) {
  point = vec4(0.0);
  turned = vec3(0.0);
  carry(skinA.x, weightA.x, point, turned, rest);
  carry(skinA.y, weightA.y, point, turned, rest);
  carry(skinA.z, weightA.z, point, turned, rest);
  carry(skinA.w, weightA.w, point, turned, rest);
}
`;

/** The light of the studio in `plush render` (src/render/lighting.cpp): sheen at outlines, and a shoulder for bright places. */
export const lookPars = /* glsl */ `
uniform float uPale;
uniform vec3 uPaleTo;
uniform float uSheen;
uniform vec3 uSkyAbove;
uniform vec3 uSkyBelow;
uniform vec3 uUp;
uniform float uAsleep;
uniform float uGlow;
uniform float uShine;
#ifdef BY_SCALAR
uniform sampler2D uRamp;
uniform vec2 uRange;
varying float vScalar;
#endif
`;

export const lookColour = /* glsl */ `
#ifdef BY_SCALAR
{
  float t = clamp((vScalar - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
  diffuseColor.rgb = texture2D(uRamp, vec2(t * 0.996 + 0.002, 0.5)).rgb;
}
#endif
diffuseColor.rgb = mix(diffuseColor.rgb, uPaleTo, uPale);
if (uAsleep > 0.0) {
  float grey = dot(diffuseColor.rgb, vec3(0.2126, 0.7152, 0.0722));
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(grey * 0.55 + 0.1), uAsleep);
}
`;

/** After the lights were added up. */
export const lookSheen = /* glsl */ `
{
  vec3 viewUp = normalize((viewMatrix * vec4(uUp, 0.0)).xyz);
  float facing = clamp(dot(normal, normalize(vViewPosition)), 0.0, 1.0);
  float grazing = pow(1.0 - facing, 3.0);
  vec3 sky = mix(uSkyBelow, uSkyAbove, 0.5 + 0.5 * dot(normal, viewUp));
  reflectedLight.indirectDiffuse += mix(diffuseColor.rgb, vec3(1.0), 0.5) * sky * (uSheen * grazing * (1.0 - uShine));
  if (uShine > 0.0) {
    // A clear coat: Schlick's approximation of Fresnel's law for the sky, a power of the cosine for the sun.
    vec3 eye = normalize(vViewPosition);
    vec3 mirrored = reflect(-eye, normal);
    vec3 above = mix(uSkyBelow, uSkyAbove, 0.5 + 0.5 * dot(mirrored, viewUp));
    reflectedLight.indirectDiffuse += above * (uShine * (0.04 + 0.96 * pow(1.0 - facing, 5.0)));
    #if NUM_DIR_LIGHTS > 0
    float sun = max(dot(normal, normalize(directionalLights[0].direction + eye)), 0.0);
    reflectedLight.directDiffuse += vec3(uShine * 0.55 * pow(sun, 70.0));
    #endif
  }
  reflectedLight.indirectDiffuse += vec3(uGlow) * (0.25 + 0.75 * grazing);
}
`;

/** Bends the bright end of the scale, so that highlights keep their hue. It takes the place of three.js's custom tone mapping. */
export const toneShoulder = /* glsl */ `
vec3 shoulder(vec3 c) {
  vec3 over = max(c - 0.7, 0.0);
  return min(c, 0.7) + 0.3 * (1.0 - exp(-over / 0.3));
}
`;
